/** Parameters of a class that begin with this are for the provisioner, not for the driver. */
export const RESERVED_PREFIX = 'csi.storage.k8s.io/'
