"""What came of a campaign, for people and for machines."""
