"""`python -m gpruntime` is `gpruntime`."""

from gpruntime.cli.main import main

if __name__ == "__main__":
    main()
