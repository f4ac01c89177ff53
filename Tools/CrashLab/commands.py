"""The commands that write, each of which every technique of faults is tried on."""

from copies import Backup, EncryptedBackup, EncryptedRestore, PassphraseBackup, Restore
from installs import ArchiveInstall, Install
from operations import Append, Erase, Fold, Init, Rebuild

ALL = [Append(), Fold(), Rebuild(), Erase(), Backup(), EncryptedBackup(), PassphraseBackup(),
       Restore(), EncryptedRestore(), Install(), ArchiveInstall(), Init()]
BY_NAME = {operation.name: operation for operation in ALL}
