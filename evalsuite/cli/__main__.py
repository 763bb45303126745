from evalsuite.cli.app import main

main()
