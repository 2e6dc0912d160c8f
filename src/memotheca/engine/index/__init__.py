"""How is what is stored found fast, by every process, as soon as it is committed?"""
