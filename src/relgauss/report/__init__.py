"""Numbers and pictures for people: matplotlib is imported when the first picture is drawn."""
