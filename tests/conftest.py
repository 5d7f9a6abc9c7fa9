"""What the end of a run of the tests tells besides: how many attacks were tried, and how many were held."""


def pytest_terminal_summary(terminalreporter):
    counts = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, value in getattr(report, "user_properties", []):
                if name == "attack":
                    counts[report.nodeid.partition("::")[2]] = value
    if counts:
        terminalreporter.section("attacks: tried, held")
        for name, (tried, held) in sorted(counts.items()):
            terminalreporter.line(f"{tried:>6} {held:>6}  {name.removeprefix('test_').replace('_', ' ')}")
        tried, held = (sum(values) for values in zip(*counts.values(), strict=True))
        terminalreporter.line(f"{tried:>6} {held:>6}  in all")
