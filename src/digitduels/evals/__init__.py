"""Language models at the duels: how they are asked, how their answers are read and graded; datasets of positions."""
