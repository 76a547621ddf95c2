"""Electronic invoices (EN 16931): XRechnung in UBL and CII, and ZUGFeRD and Factur-X within a PDF."""
