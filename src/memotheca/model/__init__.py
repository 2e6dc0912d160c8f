"""What is there?"""
