"""When are two things near?"""
