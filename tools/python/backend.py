# SPDX-License-Identifier: MIT
"""The build backend of the folder peal (PEP 517, PEP 660): it needs nothing but Python, so pip needs no network."""
import base64
import hashlib
import io
import os
import re
import tarfile
import zipfile

METADATA = """\
Metadata-Version: 2.1
Name: peal
Version: {version}
Summary: Runs, comparisons, sweeps and checks of Peal's message-passing machine, for notebooks
License: MIT
Requires-Python: >=3.9
"""
WHEEL = "Wheel-Version: 1.0\nGenerator: peal\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def read(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


def version():
    return re.search(rb'^__version__ = "(.*)"', read("peal", "__init__.py"), re.M).group(1).decode()


def sources():
    """The texts of the module's files, by name."""
    return {f"peal/{name}": read("peal", name) for name in sorted(os.listdir("peal")) if name.endswith(".py")}


def write_wheel(folder, files):
    """Write a wheel with these files into the folder; gives its name."""
    info = f"peal-{version()}.dist-info"
    files = {**files, f"{info}/METADATA": METADATA.format(version=version()).encode(), f"{info}/WHEEL": WHEEL.encode()}
    record = "".join(f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b'=').decode()},{len(text)}\n"
                     for name, text in files.items())
    name = f"peal-{version()}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, text in {**files, f"{info}/RECORD": f"{record}{info}/RECORD,,\n".encode()}.items():
            entry = zipfile.ZipInfo(path)  # dated 1980: the same sources are the same wheel
            entry.external_attr = 0o100644 << 16
            wheel.writestr(entry, text)
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):  # pylint: disable=unused-argument
    return write_wheel(wheel_directory, sources())


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):  # pylint: disable=unused-argument
    """A wheel that leads to this folder."""
    return write_wheel(wheel_directory, {"peal.pth": f"{os.getcwd()}\n".encode()})


def build_sdist(sdist_directory, config_settings=None):  # pylint: disable=unused-argument
    root = f"peal-{version()}"
    files = {**sources(), "PKG-INFO": METADATA.format(version=version()).encode(),
             **{name: read(name) for name in ("backend.py", "pyproject.toml")}}
    with tarfile.open(os.path.join(sdist_directory, f"{root}.tar.gz"), "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(f"{root}/{name}")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text))
    return f"{root}.tar.gz"
