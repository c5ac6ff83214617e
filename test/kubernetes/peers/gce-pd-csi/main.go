// Serves the CSI driver of Google's persistent disks, with its own controller and node code, on a cloud that is this machine: a disk is a
// file below a directory, and attaching it makes it a loop device. What it knows survives a kill, as a cloud would.
package main

import (
	"flag"
	"log"
	"time"

	gce "sigs.k8s.io/gcp-compute-persistent-disk-csi-driver/pkg/gce-cloud-provider/compute"
	metadata "sigs.k8s.io/gcp-compute-persistent-disk-csi-driver/pkg/gce-cloud-provider/metadata"
	driver "sigs.k8s.io/gcp-compute-persistent-disk-csi-driver/pkg/gce-pd-csi-driver"
	mountmanager "sigs.k8s.io/gcp-compute-persistent-disk-csi-driver/pkg/mount-manager"
)

func main() {
	socket := flag.String("socket", "", "path to listen on")
	home := flag.String("home", "", "directory for its disks")
	flag.Parse()

	disks := newDisks(*home)
	fake, err := gce.CreateFakeCloudProvider(metadata.FakeProject, metadata.FakeZone, disks.existing())
	if err != nil {
		log.Fatal(err)
	}
	fake.InsertInstance(disks.instance(), metadata.FakeZone, metadata.FakeName)
	mounter, err := mountmanager.NewSafeMounter(0, 0)
	if err != nil {
		log.Fatal(err)
	}

	pd := driver.GetGCEDriver()
	controller := driver.NewControllerServer(pd, &cloud{FakeCloudProvider: fake, disks: disks}, 0, 5*time.Minute, nil, false, false,
		driver.MultiZoneVolumeHandleConfig{}, driver.ListVolumesConfig{}, driver.ProvisionableDisksConfig{}, true, &driver.GCEControllerServerArgs{})
	node := driver.NewNodeServer(pd, mounter, disks, metadata.NewFakeService(), mountmanager.NewStatter(mounter), &driver.NodeServerArgs{})
	if err := pd.SetupGCEDriver("pd.csi.storage.gke.io", "v1.28.1", nil, nil, driver.NewIdentityServer(pd), controller, node); err != nil {
		log.Fatal(err)
	}
	pd.Run("unix://"+*socket, 10000, false, nil)
}
