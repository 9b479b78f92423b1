"""Print the price of each coffee, and the average price."""

import sys

from pyoxigraph import RdfFormat, Store

PRICES = """
PREFIX : <https://example.org/cafe#>
SELECT ?coffee ?price WHERE { ?coffee a :Coffee . OPTIONAL { ?coffee :price ?price } } ORDER BY ?coffee
"""

graph = Store()
graph.load(path=sys.argv[1], format=RdfFormat.TURTLE)
prices = []
for row in graph.query(PRICES):
    price = float(row["price"].value)
    prices.append(price)
    print(f"{row['coffee'].value.rpartition('#')[2]:<12}{price:6.2f}")
print(f"{'average':<12}{sum(prices) / len(prices):6.2f}")
