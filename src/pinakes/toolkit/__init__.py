"""What is a tool?"""
