"""How do clients reach us?"""
