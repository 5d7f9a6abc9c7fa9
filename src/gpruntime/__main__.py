"""`python -m gpruntime` is `gpruntime`."""

from gpruntime.cli.start import main

if __name__ == "__main__":
    main()
