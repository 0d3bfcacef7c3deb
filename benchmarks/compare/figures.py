# SPDX-License-Identifier: Apache-2.0
"""The measured figures: a CSV file with a row for each figure of each run, and medians over the rounds."""
import csv
import statistics

COLUMNS = ["round", "servers", "one_way_ms", "peer", "work", "key", "value"]


class Figures:
    def __init__(self, file):
        self.rows = {}  # (servers, one_way_ms, peer, work, key): values, one for each run
        self.out = open(file, "w", newline="", encoding="utf-8")
        self.writer = csv.writer(self.out)
        self.writer.writerow(COLUMNS)

    def add(self, round_, servers, one_way_ms, peer, work, figures):
        for key, value in figures.items():
            self.rows.setdefault((servers, one_way_ms, peer, work, key), []).append(value)
            self.writer.writerow([round_, servers, one_way_ms, peer, work, key, value])
        self.out.flush()

    def close(self):
        self.out.close()

    def median(self, *where):
        values = self.rows.get(where)
        return statistics.median(values) if values else None

    def ratios(self, mine, theirs):
        """The ratio of each round, lowest first. The two runs of a ratio were in the same minute."""
        return sorted(a / b for a, b in zip(self.rows.get(mine, []), self.rows.get(theirs, [])) if b)

    def ratio(self, mine, theirs):
        ratios = self.ratios(mine, theirs)
        return statistics.median(ratios) if ratios else None


def parse(line):
    """The numbers of `key=value key=value`."""
    figures = {}
    for word in line.split():
        key, _, value = word.partition("=")
        try:
            figures[key] = float(value)
        except ValueError:
            pass  # the value is a name
    if "acquire_p50_us" in figures:
        figures["cycle_us"] = figures["acquire_p50_us"] + figures["release_p50_us"]
    return figures
