# name: MoveDrink
# does: serve a drink in another cafe
# target: abox
# domain-specific: yes
# before:
#   :a :serves :tea . :b a :Cafe .
# after:
#   :b a :Cafe ; :serves :tea .
PREFIX : <https://kgprobe.example/#>
DELETE { ?old :serves ?drink }
INSERT { ?new :serves ?drink }
WHERE { ?old :serves ?drink . ?new a :Cafe . FILTER(?old != ?new) }
