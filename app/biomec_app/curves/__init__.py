"""Catalogue of every curve that can be shown. No Qt."""
