"""The ground floor that all three services stand on: settings, logs, gRPC and HTTP faces.

It sits in the lowest service because imports point one way: review site, scheduler, translator.
Nothing here knows what a translation is.
"""
