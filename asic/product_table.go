package asic

// Where the table has the products from. SONiC's device tree names the configuration file of Broadcom's SDK after the
// chip: th5-a7060x6.config.bcm. SONiC's updater (sonic-utilities) looks for the chip of a switch in a list of HwSKUs,
// SONiC's buffer managers for NVIDIA and Barefoot in a table of platforms, and SONiC's tests (sonic-mgmt) in lists of
// HwSKUs.
const (
	bySDK     = "name of its config.bcm file in sonic-buildimage 086b03bd"
	byUpdater = "HwSKU lists of sonic-utilities 691b1bbc, gcu_field_operation_validators.conf.json"
	byTests   = "HwSKU lists of sonic-mgmt b4ba9de3, ansible/group_vars/sonic/variables"
	bySwitch  = "sonic-buildimage issue 28657"
	// A Trident 3 or Trident 4 of a smaller variant has less memory than the catalogue's.
	byFamily = bySDK + ", which names the family: the largest variant is taken"
	byCell   = "inferred: its headroom table has steps of 318 bytes a slot of 84, the cell of BCM56780"

	inUpdater  = "sonic-utilities 691b1bbc, generic_config_updater/gcu_field_operation_validators.conf.json"
	inMellanox = "sonic-buildimage 086b03bd, platform/mellanox/asic_table.j2"
	inBarefoot = "sonic-buildimage 086b03bd, platform/barefoot/asic_table.j2"
	inTests    = "sonic-mgmt b4ba9de3, ansible/group_vars/sonic/variables"
)

// naming is the form of a table's name in a text.
type naming int

const (
	// word is a name anywhere in a text, not as a part of a longer word or number, in upper or lower case.
	word naming = iota
	// platform is the whole name of a platform of SONiC, without "x86_64-" and the revision.
	platform
	// hwsku is the beginning of a HwSKU of SONiC.
	hwsku
)

// productNames are names of products with one chip, from one source.
type productNames struct {
	as           naming
	chip, source string
	names        string // words are separated by commas, others by blanks
}

// productTable has all products.
//
// The words are the parts of HwSKUs that do not depend on how ports are divided. EOS writes 7050QX-32 for the HwSKU
// 7050-QX32, and SR Linux 7220 IXR-H3 for IXR7220-H3: that these are one product is inferred from the names. NVIDIA
// writes MSN2700 in platforms, SN2700 in HwSKUs and on the switch.
//
// The table leaves out platforms whose chips the catalogue does not have (Helix, Qumran AX, Maverick, Monterey,
// Centec's, Nephos's), as is Trident 4 where the variant is not known. HwSKUs are for a configuration that does not
// name the platform.
var productTable = []productNames{
	{word, "trident2", inUpdater, `FORCE10-S6000, 7050-QX32, 7050-QX-32S, 7050QX32S, 7050QX-32, 7050QX-32S, NEXUS-3164`},
	{word, "trident3", inUpdater, `7050CX3-32C, 7050CX3-32S`},
	{word, "trident4", inUpdater, `IXR7220-D4, 7220 IXR-D4`},
	{word, "tomahawk", inUpdater, `FORCE10-S6100, 7060CX-32S, CELESTICA-DX010, SEASTONE-DX010`},
	{word, "tomahawk2", inUpdater, `7260CX3`},
	{word, "tomahawk3", inUpdater, `IXR7220-H3, 7220 IXR-H3`},
	{word, "tomahawk3", inTests, `DELLEMC-Z9332F`},
	{word, "tomahawk4", inUpdater, `IXR7220-H4, 7220 IXR-H4`},
	{word, "tomahawk4", inTests, `7060DX5-32, 7060DX5-64S`},
	{word, "tomahawk5", inUpdater, `IXR7220-H5, 7220 IXR-H5, 7060X6-64DE, 7060X6-64PE, 7060X6-16PE-384C`},
	{word, "tomahawk5", inTests, `NH-4010`},
	{word, "tomahawk6", inUpdater, `IXR7220-H6, 7220 IXR-H6`},
	{word, "jericho2", inUpdater, `7800R3-48CQ2, 7800R3-48CQM2`},
	{word, "jericho2cplus", inTests, `7280DR3A-36, 7280DR3AK-36, 7280DR3AM-36`},
	{word, "qumran3d", inTests, `NH-5010, 7280R4-32QF-32DF, 7280R4K-32QF-32DF`},
	{word, "spectrum-1", inMellanox, `MSN2010, SN2010, MSN2100, SN2100, MSN2410, SN2410, MSN2700, SN2700, MSN2700A1,
		SN2700A1, MSN2740, SN2740, MSN2201, SN2201`},
	{word, "spectrum-2", inMellanox, `MSN3420, SN3420, MSN3700, SN3700, MSN3700C, SN3700C, MSN3800, SN3800`},
	{word, "spectrum-3", inMellanox, `MSN4280, SN4280, MSN4410, SN4410, MSN4600, SN4600, MSN4600C, SN4600C, MSN4700,
		SN4700, MSN4800, SN4800`},
	{word, "spectrum-4", inMellanox, `MSN5400, SN5400, MSN5600, SN5600, MSN5610N, SN5610N`},
	{word, "spectrum-5", inMellanox, `MSN5640, SN5640`},
	{word, "spectrum-6", inMellanox, `SN6600_LD, SN6810_LD`},
	{word, "teralynx7", inTests, `SW_TO3200K`},
	{word, "teralynx10", inTests, `DBMVTX9180`},
	{word, "tofino2", inBarefoot, `AS9516_32D, AS9516BF_32D`},

	{platform, "trident2", bySDK, `accton_as5712_54x accton_as6712_32x arista_7050_qx32 arista_7050_qx32s dell_s6000_s1220
		ingrasys_s8810_32q inventec_d6254qs`},
	{platform, "trident3", byFamily, `accton_as7326_56x accton_as7726_32x arista_7050cx3_32c arista_7050cx3_32s arista_7050sx3_48c8
		arista_7050sx3_48yc8 arista_7050sx3_48yc8c cel_ds2000 cel_ds3000 cel_questone_2 cel_seastone_2
		dellemc_s5212f_c3538 dellemc_s5224f_c3538 dellemc_s5232f_c3538 dellemc_s5248f_c3538 dellemc_s5296f_c3538
		delta_ag9032v2a inventec_d6332 inventec_d6356 micas_m2-w6510-32c micas_m2-w6510-48gt4v micas_m2-w6510-48v8c
		quanta_ix7_bwde quanta_ix7_rglbmc quanta_ix8_rglbmc quanta_ix8a_bwde quanta_ix8c_bwde ragile_ra-b6510-32c
		ragile_ra-b6510-48v8c ruijie_b6510-48vs8cq ufispace_s8901_54xc ufispace_s9110_32x`},
	{platform, "trident4", byFamily, `arista_7050dx4_32s dellemc_z9432f_c3758 ufispace_s9300_32d ufispace_s9301_32db`},
	{platform, "trident4-x9", byCell, `dellemc_s5448f`},
	{platform, "tomahawk", bySDK, `accton_as7312_54x accton_as7312_54xs accton_as7712_32x accton_as7716_32x accton_as7716_32xb
		alphanetworks_snh60a0_320fv2 arista_7060_cx32s cel_seastone dell_s6100_c2538 dell_z9100_c2538 delta_ag5648
		delta_ag9032v1 facebook_wedge100 ingrasys_s8900_54xc ingrasys_s8900_64xc ingrasys_s9100 inventec_d7032q28b
		inventec_d7054q28b juniper_qfx5200 mitac_ly1200_b32h0_c3 quanta_ix1b_rglbmc`},
	{platform, "tomahawk2", bySDK, `accton_as7816_64x alphanetworks_snh60b0_640f arista_7260cx3_64 dellemc_z9264f_c3538
		delta_ag9064 ingrasys_s9200_64x inventec_d7264q28b juniper_qfx5210 ragile_ra-b6910-64c`},
	{platform, "tomahawk3", bySDK, `accton_as9716_32d alphanetworks_snj60d0_320f arista_7060dx4_32 arista_7060px4_32
		cel_silverstone cel_silverstone_v2 dellemc_z9332f_d1508 delta_agc032 micas_m2-w6920-32qc2x quanta_ix9_bwde
		ragile_ra-b6920-4s ufispace_s9301_32d`},
	{platform, "tomahawk3", byUpdater, `nokia_ixr7220_h3`},
	{platform, "tomahawk4", bySDK, `arista_7060dx5_32 arista_7060dx5_64s dell_z9664f micas_m2-w6930-64qc ufispace_s9311_64d`},
	{platform, "tomahawk4", byUpdater, `nokia_ixr7220_h4 nokia_ixr7220_h4_32d`},
	{platform, "tomahawk5", bySDK, `arista_7060x6_16pe_384c arista_7060x6_16pe_384c_b arista_7060x6_32pe arista_7060x6_64de
		arista_7060x6_64pe arista_7060x6_64pe_b dell_z9864f micas_m2-w6940-128qc micas_m2-w6940-128x1-fr4-pure-pd
		micas_m2-w6940-128x1-fr4 micas_m2-w6940-64oc supermicro_sse_t8164 supermicro_sse_t8196 ufispace_s9321_64e
		ufispace_s9321_64eo`},
	{platform, "tomahawk5", byUpdater, `nokia_ixr7220_h5_32d nokia_ixr7220_h5_64d nokia_ixr7220_h5_64o`},
	{platform, "tomahawk5", byTests, `nexthop_4010`},
	{platform, "tomahawk6", byUpdater, `nokia_ixr7220_h6_64 nokia_ixr7220_h6_128`},
	{platform, "tomahawk6", bySDK, `micas_m2-w6950-128oc micas_m2-w6951-64hc-cp`},
	{platform, "tomahawk6-nh4210", bySwitch, `nexthop_4210`},
	{platform, "jericho2", bySDK, `arista_7280cr3_32d4 arista_7280cr3_32p4 arista_7280cr3mk_32d4 arista_7280cr3mk_32p4
		arista_7800r3_48cq2_lc arista_7800r3_48cqm2_lc`},
	{platform, "jericho2cplus", bySDK, `arista_7280dr3a_36 arista_7800r3a_36d2_lc
		nokia_ixr7250_x3b nokia_ixr7250e_36x400g`},
	{platform, "qumran3d", bySDK, `arista_7280r4_32qf_32df nokia_ixr7250_x4`},
	{platform, "qumran3d", byTests, `nexthop_5010`},
	{platform, "spectrum-1", byUpdater, `mlnx_msn2010 mlnx_msn2100 mlnx_msn2410 mlnx_msn2700 mlnx_msn2700a1 mlnx_msn2740
		mlnx_lssn2700 nvidia_sn2201`},
	{platform, "spectrum-2", byUpdater, `mlnx_msn3420 mlnx_msn3700 mlnx_msn3700c mlnx_msn3800`},
	{platform, "spectrum-3", byUpdater, `mlnx_msn4410 mlnx_msn4600 mlnx_msn4600c mlnx_msn4700 nvidia_sn4280 nvidia_sn4800`},
	{platform, "spectrum-4", byUpdater, `nvidia_sn5400 nvidia_sn5600 nvidia_sn5610n`},
	{platform, "spectrum-5", byUpdater, `nvidia_sn5640`},
	{platform, "spectrum-6", byUpdater, `nvidia_sn6600_ld nvidia_sn6600 nvidia_sn6810_ld`},
	{platform, "teralynx7", byTests, `wistron_sw_to3200k`},
	{platform, "teralynx10", byTests, `marvell_dbmvtx9180`},
	{platform, "tofino1", byTests, `accton_wedge100bf_32x accton_wedge100bf_65x accton_wedge100bf_32qs arista_7170_32c
		arista_7170_32cd arista_7170_64c`},
	{platform, "tofino2", byTests, `accton_as9516_32d accton_as9516bf_32d`},
	{platform, "silicon-one-q200", byTests, `8102_64h_o 8101_32fh_o 8102_28fh_dpu_o`},

	{hwsku, "spectrum-1", byUpdater, `ACS-MSN2010 ACS-MSN2100 ACS-MSN2410 ACS-MSN2700 ACS-MSN2740 Mellanox-SN2700`},
	{hwsku, "spectrum-2", byUpdater, `ACS-MSN3420 ACS-MSN3700 ACS-MSN3800 Mellanox-SN3800`},
	{hwsku, "spectrum-3", byUpdater, `ACS-MSN4410 ACS-MSN4600 ACS-MSN4700 ACS-SN4280 Mellanox-SN4280 Mellanox-SN4600
		Mellanox-SN4700`},
	{hwsku, "spectrum-4", byUpdater, `ACS-SN5400 ACS-SN5600 Mellanox-SN5600 Mellanox-SN5610N`},
	{hwsku, "spectrum-5", byUpdater, `ACS-SN5640 Mellanox-SN5640`},
	{hwsku, "spectrum-6", byUpdater, `ACS-SN6600 ACS-SN6810 Mellanox-SN6600`},
	{hwsku, "trident2", byUpdater, `Force10-S6000 Arista-7050-QX Arista-7050QX Nexus-3164`},
	{hwsku, "trident3", byUpdater, `Arista-7050CX3`},
	{hwsku, "tomahawk", byUpdater, `Force10-S6100 Arista-7060CX-32S Celestica-DX010 Seastone-DX010`},
	{hwsku, "tomahawk2", byUpdater, `Arista-7260CX3`},
	{hwsku, "tomahawk3", byTests, `DellEMC-Z9332f Nokia-IXR7220-H3`},
	{hwsku, "tomahawk4", byTests, `Arista-7060DX5 Nokia-IXR7220-H4`},
	{hwsku, "tomahawk5", byUpdater, `Arista-7060X6 Nokia-IXR7220-H5 NH-4010`},
	{hwsku, "tomahawk6", byUpdater, `Nokia-IXR7220-H6`},
	{hwsku, "tomahawk6-nh4210", byTests, `NH-4210`},
	{hwsku, "jericho2", byTests, `Arista-7800R3-48`},
	{hwsku, "jericho2cplus", byTests, `Arista-7280DR3A Arista-7800R3A Nokia-IXR7250E-36x Nokia-IXR7250-X3B`},
	{hwsku, "qumran3d", byTests, `Arista-7280R4-32QF-32DF Arista-7280R4K-32QF-32DF NH-5010`},
	{hwsku, "silicon-one-q200", byTests, `Cisco-8101 Cisco-8102`},
	{hwsku, "silicon-one-g200", byTests, `Cisco-8122-`},
	{hwsku, "silicon-one-g202x", byTests, `Cisco-8122X`},
	{hwsku, "silicon-one-p200", byTests, `Cisco-8223`},
	{hwsku, "teralynx10", byTests, `dbmvtx9180`},
	{hwsku, "tofino1", byTests, `montara mavericks Arista-7170`},
	{hwsku, "tofino2", byTests, `newport`},
}
