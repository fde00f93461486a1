"""From a study file to a folder: results and a report, all or nothing."""
