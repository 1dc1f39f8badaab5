#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks a log in SARIF against the schema of 2.1.0, and prints its results: level, rule, place, text's first line.

    sarif.py FILE
"""
import json
import re
import sys


def check(ok, what):
    if not ok:
        sys.exit(f"not SARIF 2.1.0: {what}")


def check_message(message, what):
    check(isinstance(message, dict) and isinstance(message.get("text"), str) and message["text"], f"{what}: a message has a text")


def place_of(location, what):
    physical = location["physicalLocation"]
    uri = physical["artifactLocation"]["uri"]
    check(re.fullmatch(r"(file://)?([A-Za-z0-9._~/+,=@-]|%[0-9A-F]{2})+", uri), f"{what}: the URI {uri!r}")
    line = physical.get("region", {}).get("startLine", 0)
    check("region" not in physical or (isinstance(line, int) and line >= 1), f"{what}: startLine is 1 or more")
    if "message" in location:
        check_message(location["message"], what)
    return f"{uri.split('/')[-1]}:{line}"


def main():
    with open(sys.argv[1], encoding="utf-8") as source:
        log = json.load(source)
    check(log.get("version") == "2.1.0" and log["$schema"].endswith("sarif-2.1.0.json"), "version and $schema")
    check(isinstance(log.get("runs"), list) and len(log["runs"]) == 1, "runs")
    run = log["runs"][0]
    driver = run["tool"]["driver"]
    check(isinstance(driver.get("name"), str), "tool.driver.name")
    check(run.get("columnKind") in ("utf16CodeUnits", "unicodeCodePoints"), "columnKind")
    rules = [rule["id"] for rule in driver["rules"]]
    check(len(rules) == len(set(rules)), "the rules' ids are unique")
    for rule in driver["rules"]:
        for key in ("shortDescription", "fullDescription", "help"):
            if key in rule:
                check_message(rule[key], rule["id"])
    for result in run["results"]:
        check(result["level"] in ("none", "note", "warning", "error"), "level")
        check_message(result["message"], "result")
        check(result["level"] != "note" or not result["message"]["text"].endswith("\n"), "a note, which has no rule, ends with its message")
        places = [place_of(location, result["ruleId"]) for location in result["locations"]]
        ids = [location["id"] for location in result.get("relatedLocations", [])]
        check(len(ids) == len(set(ids)) and all(isinstance(i, int) and i >= 0 for i in ids), "ids of locations")
        related = [place_of(location, result["ruleId"]) for location in result.get("relatedLocations", [])]
        print(result["level"], result["ruleId"] + ("" if result["ruleId"] in rules else " (own)"), *places, *related, "|",
              result["message"]["text"].split("\n")[0])
    print(len(run["results"]), "results")


main()
