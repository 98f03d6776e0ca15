"""Builds the wheel of cellwarden: wheel.py LIBRARY VERSION FOLDER

LIBRARY is libcellwarden.so of cmd/libcellwarden/build. It needs nothing but Python. Two wheels of the same files are equal
byte by byte. The last line that it prints is the path of the wheel.
"""

import base64
import hashlib
import pathlib
import platform
import re
import sys
import zipfile

SOURCES = ("__init__.py", "command.py", "errors.py", "mmu.py", "py.typed")

METADATA = """Metadata-Version: 2.1
Name: cellwarden
Version: {version}
Summary: The buffer manager of switch ASICs: plans, and packet-level admission
Home-page: https://github.com/cellwarden/cellwarden
License: Apache-2.0
Requires-Python: >=3.8
Provides-Extra: batch
Requires-Dist: numpy; extra == "batch"
"""

WHEEL = """Wheel-Version: 1.0
Generator: cellwarden
Root-Is-Purelib: false
Tag: {tag}
"""


def tag(library: bytes) -> str:
    """The wheel runs with any Python 3 on systems whose C library has what the library needs of glibc."""
    versions = re.findall(rb"\0GLIBC_(\d+)\.(\d+)\0", library) + re.findall(rb"\0GLIBC_(\d+)\.(\d+)\.\d+\0", library)
    major, minor = max((int(a), int(b)) for a, b in versions)
    return f"py3-none-manylinux_{major}_{minor}_{platform.machine()}"


def build(library: pathlib.Path, version: str, folder: pathlib.Path) -> pathlib.Path:
    """Writes the wheel."""
    text = library.read_bytes()
    here = pathlib.Path(__file__).parent
    info = f"cellwarden-{version}.dist-info/"
    files = {"cellwarden/" + name: (here / "cellwarden" / name).read_bytes() for name in SOURCES}
    files["cellwarden/libcellwarden.so"] = text
    files[info + "LICENSE"] = (here.parent / "LICENSE").read_bytes()
    files[info + "METADATA"] = METADATA.format(version=version).encode()
    files[info + "WHEEL"] = WHEEL.format(tag=tag(text)).encode()
    record = ""
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    files[info + "RECORD"] = (record + info + "RECORD,,\n").encode()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"cellwarden-{version}-{tag(text)}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system, entry.external_attr = 3, 0o100644 << 16
            wheel.writestr(entry, data)
    return path


if __name__ == "__main__":
    if len(sys.argv) != 4 or not re.fullmatch(r"\d+(\.\d+)*((a|b|rc)\d+)?", sys.argv[2]):
        sys.exit("wheel: want wheel.py LIBRARY VERSION FOLDER, with a version such as 0.2.0 or 0.2.0rc1")
    print(build(pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])))
