"""What users of RDFMutate bring: its configurations become profiles, and its SWRL rules become operators."""
