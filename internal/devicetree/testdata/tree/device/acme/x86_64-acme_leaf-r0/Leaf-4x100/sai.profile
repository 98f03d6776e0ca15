SAI_INIT_CONFIG_FILE=/usr/share/sonic/hwsku/th-acme-leaf-4x100.config.bcm
