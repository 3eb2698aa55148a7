"""Stand-ins for hdparm and sg3_utils: scripts that print what the programs print, and erase the device or do not.

The section on security is that of hdparm 9.65 (``identify.c``). Files in the folder say what the drive does:
``frozen``, ``unsupported``, ``refuses``, ``lies``, ``keeps`` (its password, always). ``told`` lists the calls.
"""

from pathlib import Path

HDPARM = r"""#!/bin/sh
here=$(dirname "$0")
echo "hdparm $*" >> "$here/told"
for device; do :; done
not() { [ -e "$here/$1" ] || printf 'not'; }
case " $* " in
*" -I "*)
    printf '\n%s:\n\nATA device, with non-removable media\n' "$device"
    [ -e "$here/unsupported" ] && exit 0
    printf 'Security: \n\tMaster password revision code = 65534\n\t\tsupported\n'
    printf '\t%s\tenabled\n' "$(not enabled)"
    printf '\t%s\tlocked\n\t%s\tfrozen\n\tnot\texpired: security count\n' "$(not locked)" "$(not frozen)"
    printf '\t\tsupported: enhanced erase\n'
    printf '\t6min for SECURITY ERASE UNIT. 2min for ENHANCED SECURITY ERASE UNIT.\n'
    printf 'Logical Unit WWN Device Identifier: 5002538c40000000\nChecksum: correct\n' ;;
*" --security-set-pass "*)
    touch "$here/enabled" ;;
*" --security-disable "*)
    [ -e "$here/keeps" ] || rm -f "$here/enabled" ;;
*" --security-erase"*)
    printf 'security_password: "iosonde"\n\n%s:\n' "$device"
    printf ' Issuing SECURITY_ERASE command, password="iosonde", user=user\n'
    [ -e "$here/refuses" ] && { echo 'SECURITY_ERASE: Input/output error'; exit 5; }
    [ -e "$here/lies" ] || dd if=/dev/zero of="$device" bs=1M oflag=direct 2> /dev/null
    [ -e "$here/keeps" ] || rm -f "$here/enabled" ;;
esac
exit 0
"""
SG = r"""#!/bin/sh
here=$(dirname "$0")
echo "$(basename "$0") $*" >> "$here/told"
for device; do :; done
[ -e "$here/refuses" ] && { echo 'Sanitize command not supported' >&2; exit 9; }
[ -e "$here/lies" ] || dd if=/dev/zero of="$device" bs=1M oflag=direct 2> /dev/null
exit 0
"""


class StandinTools:
    """The scripts in a folder. ``drive`` are the names of files that say what the drive does."""

    def __init__(self, folder: Path, *drive: str) -> None:
        folder.mkdir()
        self.folder = folder
        for name, text in (("hdparm", HDPARM), ("sg_sanitize", SG), ("sg_format", SG)):
            path = folder / name
            path.write_text(text)
            path.chmod(0o755)
        for name in drive:
            (folder / name).touch()

    @property
    def told(self) -> list[str]:
        """The calls, without the device."""
        lines = (self.folder / "told").read_text().splitlines() if (self.folder / "told").exists() else []
        return [line.rpartition(" ")[0] for line in lines]

    @property
    def devices(self) -> set[str]:
        """The paths of the device in all calls that change it."""
        lines = (self.folder / "told").read_text().splitlines()
        return {line.rpartition(" ")[2] for line in lines if " -I " not in line}

    @property
    def has_password(self) -> bool:
        """Whether the drive has a password."""
        return (self.folder / "enabled").exists()
