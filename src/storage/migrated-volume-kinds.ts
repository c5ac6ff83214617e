/**
 * In-tree volume types, and the CSI driver that serves each today. Kubernetes translates those that it migrated; it removed rbd and cephfs, which
 * Ceph CSI serves.
 */
export const CSI_DRIVER_BY_VOLUME_KIND: ReadonlyMap<string, string> = new Map([
  ['awsElasticBlockStore', 'ebs.csi.aws.com'],
  ['azureDisk', 'disk.csi.azure.com'],
  ['azureFile', 'file.csi.azure.com'],
  ['cinder', 'cinder.csi.openstack.org'],
  ['gcePersistentDisk', 'pd.csi.storage.gke.io'],
  ['portworxVolume', 'pxd.portworx.com'],
  ['vsphereVolume', 'csi.vsphere.vmware.com'],
  ['rbd', 'rbd.csi.ceph.com'],
  ['cephfs', 'cephfs.csi.ceph.com'],
])
