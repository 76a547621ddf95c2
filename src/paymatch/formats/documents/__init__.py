"""What documents of ours share: PDFs and pictures drawn by typst, cells that no spreadsheet takes for a formula"""
