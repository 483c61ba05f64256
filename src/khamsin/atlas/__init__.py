"""One geography, five boards: the builder, the checks that a board agrees with its rulebook, and the drawing."""
