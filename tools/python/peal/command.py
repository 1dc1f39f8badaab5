# SPDX-License-Identifier: MIT
"""Starting the command and reading its document."""
import json
import os
import shutil
import subprocess
import sys
import tempfile


class Error(Exception):
    """The command refused the request, or could not be started.

    code     its exit status, as in peal(1); 127: there is no command
    args[0]  its message
    """

    def __init__(self, message, code):
        super().__init__(message)
        self.code = code


def find():
    """The path of the command.  Raises Error if there is none."""
    path = os.environ.get("PEAL") or shutil.which("peal")
    if not path:
        raise Error("the command peal was not found: expected it on PATH, or its file in the environment variable PEAL",
                    127)
    return path


def word_of(value):
    """An option's value, as one word of the command line."""
    if isinstance(value, (list, tuple)):
        return ",".join(word_of(item) for item in value)
    return str(value)


def words_of(options):
    """Options as words of the command line: True is the option alone; False and None leave it out."""
    words = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        words.append("--" + name.replace("_", "-"))
        if value is not True:
            words.append(word_of(value))
    return words


def start(words, text=None):
    """Run the command with these words, and `text` as its input; returns exit status, standard output and error."""
    source = {"input": text} if text is not None else {"stdin": subprocess.DEVNULL}
    path = find()
    if any(word.endswith(".py") for word in words):  # its interpreter is ours
        source["env"] = {**os.environ, "PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ.get("PATH", "")}
    try:
        done = subprocess.run([path, *words], capture_output=True, encoding="utf-8", errors="replace", check=False,
                              **source)
    except OSError as problem:
        raise Error(f"{path}: {problem.strerror}", 127) from problem
    return done.returncode, done.stdout, done.stderr


def command(name, *arguments, program_arguments=(), **options):
    """Run a subcommand with --json=FILE, so that what programs print is apart.

    Returns its document as a dict, its exit status, and what it printed, with U+FFFD for what is not UTF-8.  Raises Error
    where it writes no document.
    """
    with tempfile.TemporaryDirectory(prefix="peal-") as folder:
        file = os.path.join(folder, "document.json")
        words = [name, *(str(argument) for argument in arguments), *words_of(options), "--json=" + file]
        if program_arguments:
            words += ["--", *(str(argument) for argument in program_arguments)]
        code, output, complaint = start(words)
        try:
            with open(file, encoding="utf-8") as document:
                return json.load(document), code, output
        except (OSError, ValueError):
            said = complaint.strip() or f"peal {name} ended with status {code} and wrote no document"
            raise Error(said.removeprefix("peal: "), code) from None
