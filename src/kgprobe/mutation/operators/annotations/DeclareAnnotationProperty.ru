# name: DeclareAnnotationProperty
# does: add the declaration of a new annotation property
# target: tbox
# sets: owl-el, owl-dl, annotations
# before:
#   :Pump a owl:Class .
# after:
#   :Pump a owl:Class . new:maker a owl:AnnotationProperty .
PREFIX kg: <urn:kgprobe:function:>
PREFIX owl: <http://www.w3.org/2002/07/owl#>

INSERT { ?new a owl:AnnotationProperty }
WHERE { BIND(kg:fresh() AS ?new) }
