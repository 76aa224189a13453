from ._stubs import main

main()
