"""The ready designs of studies, one TOML file each; `segue.app.studies.design` reads them."""
