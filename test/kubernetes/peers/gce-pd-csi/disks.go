package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/GoogleCloudPlatform/k8s-cloud-provider/pkg/cloud/meta"
	"github.com/container-storage-interface/spec/lib/go/csi"
	beta "google.golang.org/api/compute/v0.beta"
	compute "google.golang.org/api/compute/v1"
	"k8s.io/mount-utils"
	gce "sigs.k8s.io/gcp-compute-persistent-disk-csi-driver/pkg/gce-cloud-provider/compute"
	metadata "sigs.k8s.io/gcp-compute-persistent-disk-csi-driver/pkg/gce-cloud-provider/metadata"
	"sigs.k8s.io/gcp-compute-persistent-disk-csi-driver/pkg/parameters"
	"sigs.k8s.io/gcp-compute-persistent-disk-csi-driver/pkg/resizefs"
)

const gigabyte = int64(1) << 30

// disks are files in disks/, and links to their loop devices in attached/.
type disks struct{ home string }

func newDisks(home string) *disks {
	for _, name := range []string{"disks", "attached"} {
		if err := os.MkdirAll(filepath.Join(home, name), 0o755); err != nil {
			log.Fatal(err)
		}
	}
	return &disks{home}
}

func (d *disks) file(name string) string { return filepath.Join(d.home, "disks", name) }
func (d *disks) link(name string) string { return filepath.Join(d.home, "attached", name) }

func selfLink(name string) string {
	return fmt.Sprintf("%sprojects/%s/zones/%s/disks/%s", gce.BasePath, metadata.FakeProject, metadata.FakeZone, name)
}

func (d *disks) existing() (found []*gce.CloudDisk) {
	files, _ := filepath.Glob(d.file("*"))
	for _, file := range files {
		name := filepath.Base(file)
		info, err := os.Stat(file)
		if err != nil {
			log.Fatal(err)
		}
		kind := fmt.Sprintf("projects/%s/zones/%s/diskTypes/pd-balanced", metadata.FakeProject, metadata.FakeZone)
		disk := &beta.Disk{Name: name, SizeGb: info.Size() / gigabyte, Zone: metadata.FakeZone, SelfLink: selfLink(name), Status: "READY", Type: kind}
		found = append(found, gce.CloudDiskFromBeta(disk))
	}
	return found
}

func (d *disks) instance() *compute.Instance {
	links, _ := filepath.Glob(d.link("*"))
	instance := &compute.Instance{Name: metadata.FakeName}
	for _, link := range links {
		name := filepath.Base(link)
		instance.Disks = append(instance.Disks, &compute.AttachedDisk{DeviceName: name, Mode: "READ_WRITE", Source: selfLink(name)})
	}
	return instance
}

func run(name string, args ...string) (string, error) {
	output, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s %s: %v: %s", name, strings.Join(args, " "), err, output)
	}
	return strings.TrimSpace(string(output)), nil
}

// cloud is the fake one of the driver's own tests, with real disks.
type cloud struct {
	*gce.FakeCloudProvider
	disks *disks
}

func (c *cloud) InsertDisk(ctx context.Context, project string, key *meta.Key, params parameters.DiskParameters, sizeBytes int64, wanted *csi.CapacityRange, zones []string, snapshot, source string, multiWriter bool, mode string) error {
	if err := c.FakeCloudProvider.InsertDisk(ctx, project, key, params, sizeBytes, wanted, zones, snapshot, source, multiWriter, mode); err != nil {
		return err
	}
	file, err := os.Create(c.disks.file(key.Name))
	if err != nil {
		return err
	}
	defer file.Close()
	return file.Truncate((sizeBytes + gigabyte - 1) / gigabyte * gigabyte)
}

func (c *cloud) DeleteDisk(ctx context.Context, project string, key *meta.Key) error {
	if err := os.Remove(c.disks.file(key.Name)); err != nil && !os.IsNotExist(err) {
		return err
	}
	return c.FakeCloudProvider.DeleteDisk(ctx, project, key)
}

// Both may have been killed after any of their steps.
func (c *cloud) AttachDisk(ctx context.Context, project string, key *meta.Key, mode, kind, zone, instance string, force bool) error {
	if err := c.disks.release(key.Name); err != nil {
		return err
	}
	device, err := run("losetup", "--find", "--show", c.disks.file(key.Name))
	if err != nil {
		return err
	}
	if err := os.Symlink(device, c.disks.link(key.Name)); err != nil {
		return err
	}
	return c.FakeCloudProvider.AttachDisk(ctx, project, key, mode, kind, zone, instance, force)
}

func (c *cloud) DetachDisk(ctx context.Context, project, name, zone, instance string) error {
	if err := c.disks.release(name); err != nil {
		return err
	}
	return c.FakeCloudProvider.DetachDisk(ctx, project, name, zone, instance)
}

// release lets the link go last: it tells a driver that is started again that the disk may be attached.
func (d *disks) release(name string) error {
	devices, err := run("losetup", "--associated", d.file(name), "--noheadings", "--output", "NAME")
	if err != nil {
		return err
	}
	for _, device := range strings.Fields(devices) {
		if _, err := run("losetup", "--detach", device); err != nil {
			return err
		}
	}
	if err := os.Remove(d.link(name)); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}

// How the node finds its devices.

func (d *disks) GetDiskByIdPaths(name, _ string) []string { return []string{d.link(name)} }

func (d *disks) VerifyDevicePath(paths []string, _ string) (string, error) {
	return filepath.EvalSymlinks(paths[0])
}

func (d *disks) Resize(resizer resizefs.Resizefs, device, path string) (bool, error) {
	return resizer.Resize(device, path)
}

func (d *disks) IsDeviceFilesystemInUse(*mount.SafeFormatAndMount, string, string) (bool, error) {
	return false, nil
}
