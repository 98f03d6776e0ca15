package audit

// Where the tables have the chips from. SONiC's device tree names the configuration file of Broadcom's SDK after the
// chip: th5-a7060x6.config.bcm. The updater (sonic-utilities) and the tests (sonic-mgmt) list HwSKUs by chip.
const (
	bySDK     = "name of its config.bcm file in sonic-buildimage 086b03bd"
	byUpdater = "HwSKU lists of sonic-utilities 691b1bbc, gcu_field_operation_validators.conf.json"
	byTests   = "HwSKU lists of sonic-mgmt b4ba9de3, ansible/group_vars/sonic/variables"
	bySwitch  = "sonic-buildimage issue 28657"
	// A Trident 3 or Trident 4 of a smaller variant has less memory than the catalogue's.
	byFamily = bySDK + ", which names the family: the largest variant is taken"
	byCell   = "inferred: its headroom table has steps of 318 bytes a slot of 84, the cell of BCM56780"
)

// chipNames are the switches of a chip.
type chipNames struct {
	chip, source string
	names        string // separated by blanks
}

// platforms are the platforms of SONiC by chip, without "x86_64-" and the revision. Chips of which the catalogue knows
// nothing are left out (Helix, Qumran AX, Maverick, Monterey, Centec's, Nephos's), as is Trident 4 where the variant
// is not known.
var platforms = []chipNames{
	{"trident2", bySDK, `accton_as5712_54x accton_as6712_32x arista_7050_qx32 arista_7050_qx32s dell_s6000_s1220
		ingrasys_s8810_32q inventec_d6254qs`},
	{"trident3", byFamily, `accton_as7326_56x accton_as7726_32x arista_7050cx3_32c arista_7050cx3_32s arista_7050sx3_48c8
		arista_7050sx3_48yc8 arista_7050sx3_48yc8c cel_ds2000 cel_ds3000 cel_questone_2 cel_seastone_2
		dellemc_s5212f_c3538 dellemc_s5224f_c3538 dellemc_s5232f_c3538 dellemc_s5248f_c3538 dellemc_s5296f_c3538
		delta_ag9032v2a inventec_d6332 inventec_d6356 micas_m2-w6510-32c micas_m2-w6510-48gt4v micas_m2-w6510-48v8c
		quanta_ix7_bwde quanta_ix7_rglbmc quanta_ix8_rglbmc quanta_ix8a_bwde quanta_ix8c_bwde ragile_ra-b6510-32c
		ragile_ra-b6510-48v8c ruijie_b6510-48vs8cq ufispace_s8901_54xc ufispace_s9110_32x`},
	{"trident4", byFamily, `arista_7050dx4_32s dellemc_z9432f_c3758 ufispace_s9300_32d ufispace_s9301_32db`},
	{"trident4-x9", byCell, `dellemc_s5448f`},
	{"tomahawk", bySDK, `accton_as7312_54x accton_as7312_54xs accton_as7712_32x accton_as7716_32x accton_as7716_32xb
		alphanetworks_snh60a0_320fv2 arista_7060_cx32s cel_seastone dell_s6100_c2538 dell_z9100_c2538 delta_ag5648
		delta_ag9032v1 facebook_wedge100 ingrasys_s8900_54xc ingrasys_s8900_64xc ingrasys_s9100 inventec_d7032q28b
		inventec_d7054q28b juniper_qfx5200 mitac_ly1200_b32h0_c3 quanta_ix1b_rglbmc`},
	{"tomahawk2", bySDK, `accton_as7816_64x alphanetworks_snh60b0_640f arista_7260cx3_64 dellemc_z9264f_c3538
		delta_ag9064 ingrasys_s9200_64x inventec_d7264q28b juniper_qfx5210 ragile_ra-b6910-64c`},
	{"tomahawk3", bySDK, `accton_as9716_32d alphanetworks_snj60d0_320f arista_7060dx4_32 arista_7060px4_32
		cel_silverstone cel_silverstone_v2 dellemc_z9332f_d1508 delta_agc032 micas_m2-w6920-32qc2x quanta_ix9_bwde
		ragile_ra-b6920-4s ufispace_s9301_32d`},
	{"tomahawk3", byUpdater, `nokia_ixr7220_h3`},
	{"tomahawk4", bySDK, `arista_7060dx5_32 arista_7060dx5_64s dell_z9664f micas_m2-w6930-64qc ufispace_s9311_64d`},
	{"tomahawk4", byUpdater, `nokia_ixr7220_h4 nokia_ixr7220_h4_32d`},
	{"tomahawk5", bySDK, `arista_7060x6_16pe_384c arista_7060x6_16pe_384c_b arista_7060x6_32pe arista_7060x6_64de
		arista_7060x6_64pe arista_7060x6_64pe_b dell_z9864f micas_m2-w6940-128qc micas_m2-w6940-128x1-fr4-pure-pd
		micas_m2-w6940-128x1-fr4 micas_m2-w6940-64oc supermicro_sse_t8164 supermicro_sse_t8196 ufispace_s9321_64e
		ufispace_s9321_64eo`},
	{"tomahawk5", byUpdater, `nokia_ixr7220_h5_32d nokia_ixr7220_h5_64d nokia_ixr7220_h5_64o`},
	{"tomahawk5", byTests, `nexthop_4010`},
	{"tomahawk6", byUpdater, `nokia_ixr7220_h6_64 nokia_ixr7220_h6_128`},
	{"tomahawk6", bySDK, `micas_m2-w6950-128oc micas_m2-w6951-64hc-cp`},
	{"tomahawk6-nh4210", bySwitch, `nexthop_4210`},
	{"jericho2", bySDK, `arista_7280cr3_32d4 arista_7280cr3_32p4 arista_7280cr3mk_32d4 arista_7280cr3mk_32p4
		arista_7800r3_48cq2_lc arista_7800r3_48cqm2_lc`},
	{"spectrum-1", byUpdater, `mlnx_msn2010 mlnx_msn2100 mlnx_msn2410 mlnx_msn2700 mlnx_msn2700a1 mlnx_msn2740
		mlnx_lssn2700 nvidia_sn2201`},
	{"spectrum-2", byUpdater, `mlnx_msn3420 mlnx_msn3700 mlnx_msn3700c mlnx_msn3800`},
	{"spectrum-3", byUpdater, `mlnx_msn4410 mlnx_msn4600 mlnx_msn4600c mlnx_msn4700 nvidia_sn4280 nvidia_sn4800`},
	{"spectrum-4", byUpdater, `nvidia_sn5400 nvidia_sn5600 nvidia_sn5610n`},
	{"spectrum-5", byUpdater, `nvidia_sn5640`},
	{"spectrum-6", byUpdater, `nvidia_sn6600_ld nvidia_sn6600 nvidia_sn6810_ld`},
	{"teralynx7", byTests, `wistron_sw_to3200k`},
	{"teralynx10", byTests, `marvell_dbmvtx9180`},
	{"tofino1", byTests, `accton_wedge100bf_32x accton_wedge100bf_65x accton_wedge100bf_32qs arista_7170_32c
		arista_7170_32cd arista_7170_64c`},
	{"tofino2", byTests, `accton_as9516_32d accton_as9516bf_32d`},
	{"silicon-one-q200", byTests, `8102_64h_o 8101_32fh_o 8102_28fh_dpu_o`},
}

// skus are the beginnings of HwSKUs by chip, for a configuration that does not name the platform.
var skus = []chipNames{
	{"spectrum-1", byUpdater, `ACS-MSN2010 ACS-MSN2100 ACS-MSN2410 ACS-MSN2700 ACS-MSN2740 Mellanox-SN2700`},
	{"spectrum-2", byUpdater, `ACS-MSN3420 ACS-MSN3700 ACS-MSN3800 Mellanox-SN3800`},
	{"spectrum-3", byUpdater, `ACS-MSN4410 ACS-MSN4600 ACS-MSN4700 ACS-SN4280 Mellanox-SN4280 Mellanox-SN4600
		Mellanox-SN4700`},
	{"spectrum-4", byUpdater, `ACS-SN5400 ACS-SN5600 Mellanox-SN5600 Mellanox-SN5610N`},
	{"spectrum-5", byUpdater, `ACS-SN5640 Mellanox-SN5640`},
	{"spectrum-6", byUpdater, `ACS-SN6600 ACS-SN6810 Mellanox-SN6600`},
	{"trident2", byUpdater, `Force10-S6000 Arista-7050-QX Arista-7050QX Nexus-3164`},
	{"trident3", byUpdater, `Arista-7050CX3`},
	{"tomahawk", byUpdater, `Force10-S6100 Arista-7060CX-32S Celestica-DX010 Seastone-DX010`},
	{"tomahawk2", byUpdater, `Arista-7260CX3`},
	{"tomahawk3", byTests, `DellEMC-Z9332f Nokia-IXR7220-H3`},
	{"tomahawk4", byTests, `Arista-7060DX5 Nokia-IXR7220-H4`},
	{"tomahawk5", byUpdater, `Arista-7060X6 Nokia-IXR7220-H5 NH-4010`},
	{"tomahawk6", byUpdater, `Nokia-IXR7220-H6`},
	{"tomahawk6-nh4210", byTests, `NH-4210`},
	{"jericho2", byTests, `Arista-7800R3-48`},
	{"silicon-one-q200", byTests, `Cisco-8101 Cisco-8102`},
	{"silicon-one-g200", byTests, `Cisco-8122-`},
	{"silicon-one-g202x", byTests, `Cisco-8122X`},
	{"silicon-one-p200", byTests, `Cisco-8223`},
	{"teralynx10", byTests, `dbmvtx9180`},
	{"tofino1", byTests, `montara mavericks Arista-7170`},
	{"tofino2", byTests, `newport`},
}
