"""The formats: each module or package here lists those that it reads and writes in a tuple.

`kgprobe.formats.catalogue` finds them. A module that takes long to load is imported only by the functions that read or
write.
"""
