"""Work on notebooks as documents: inspect, convert, keep in step."""
