"""Where does state live?"""
