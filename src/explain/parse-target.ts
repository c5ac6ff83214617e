/** The kinds that can be asked about. */
export type TargetKind =
  | 'Pod'
  | 'PersistentVolumeClaim'
  | 'PersistentVolume'
  | 'VolumeAttachment'
  | 'VolumeSnapshot'
  | 'VolumeSnapshotContent'
  | 'VolumeGroupSnapshot'
  | 'VolumeGroupSnapshotContent'
  | 'Node'
  | 'Namespace'
  | 'StorageClass'
  | 'VolumeAttributesClass'
  | 'VolumeSnapshotClass'
  | 'CSIDriver'
  | 'StatefulSet'
  | 'Deployment'
  | 'ReplicaSet'
  | 'DaemonSet'
  | 'Job'

export type Target = { readonly kind: TargetKind; readonly name: string }

const KINDS: Readonly<Record<string, TargetKind>> = {
  po: 'Pod',
  pod: 'Pod',
  pods: 'Pod',
  pvc: 'PersistentVolumeClaim',
  pvcs: 'PersistentVolumeClaim',
  claim: 'PersistentVolumeClaim',
  persistentvolumeclaim: 'PersistentVolumeClaim',
  persistentvolumeclaims: 'PersistentVolumeClaim',
  pv: 'PersistentVolume',
  pvs: 'PersistentVolume',
  volume: 'PersistentVolume',
  persistentvolume: 'PersistentVolume',
  persistentvolumes: 'PersistentVolume',
  va: 'VolumeAttachment',
  volumeattachment: 'VolumeAttachment',
  volumeattachments: 'VolumeAttachment',
  'volumeattachment.storage.k8s.io': 'VolumeAttachment',
  'volumeattachments.storage.k8s.io': 'VolumeAttachment',
  vs: 'VolumeSnapshot',
  snapshot: 'VolumeSnapshot',
  volumesnapshot: 'VolumeSnapshot',
  volumesnapshots: 'VolumeSnapshot',
  'volumesnapshot.snapshot.storage.k8s.io': 'VolumeSnapshot',
  'volumesnapshots.snapshot.storage.k8s.io': 'VolumeSnapshot',
  vsc: 'VolumeSnapshotContent',
  vscs: 'VolumeSnapshotContent',
  volumesnapshotcontent: 'VolumeSnapshotContent',
  volumesnapshotcontents: 'VolumeSnapshotContent',
  'volumesnapshotcontent.snapshot.storage.k8s.io': 'VolumeSnapshotContent',
  'volumesnapshotcontents.snapshot.storage.k8s.io': 'VolumeSnapshotContent',
  vgs: 'VolumeGroupSnapshot',
  volumegroupsnapshot: 'VolumeGroupSnapshot',
  volumegroupsnapshots: 'VolumeGroupSnapshot',
  'volumegroupsnapshot.groupsnapshot.storage.k8s.io': 'VolumeGroupSnapshot',
  'volumegroupsnapshots.groupsnapshot.storage.k8s.io': 'VolumeGroupSnapshot',
  vgsc: 'VolumeGroupSnapshotContent',
  vgscs: 'VolumeGroupSnapshotContent',
  volumegroupsnapshotcontent: 'VolumeGroupSnapshotContent',
  volumegroupsnapshotcontents: 'VolumeGroupSnapshotContent',
  'volumegroupsnapshotcontent.groupsnapshot.storage.k8s.io': 'VolumeGroupSnapshotContent',
  'volumegroupsnapshotcontents.groupsnapshot.storage.k8s.io': 'VolumeGroupSnapshotContent',
  no: 'Node',
  node: 'Node',
  nodes: 'Node',
  ns: 'Namespace',
  namespace: 'Namespace',
  namespaces: 'Namespace',
  sc: 'StorageClass',
  class: 'StorageClass',
  storageclass: 'StorageClass',
  storageclasses: 'StorageClass',
  'storageclass.storage.k8s.io': 'StorageClass',
  'storageclasses.storage.k8s.io': 'StorageClass',
  vac: 'VolumeAttributesClass',
  volumeattributesclass: 'VolumeAttributesClass',
  volumeattributesclasses: 'VolumeAttributesClass',
  'volumeattributesclass.storage.k8s.io': 'VolumeAttributesClass',
  'volumeattributesclasses.storage.k8s.io': 'VolumeAttributesClass',
  vsclass: 'VolumeSnapshotClass',
  vsclasses: 'VolumeSnapshotClass',
  volumesnapshotclass: 'VolumeSnapshotClass',
  volumesnapshotclasses: 'VolumeSnapshotClass',
  'volumesnapshotclass.snapshot.storage.k8s.io': 'VolumeSnapshotClass',
  'volumesnapshotclasses.snapshot.storage.k8s.io': 'VolumeSnapshotClass',
  driver: 'CSIDriver',
  csidriver: 'CSIDriver',
  csidrivers: 'CSIDriver',
  'csidriver.storage.k8s.io': 'CSIDriver',
  'csidrivers.storage.k8s.io': 'CSIDriver',
  sts: 'StatefulSet',
  statefulset: 'StatefulSet',
  statefulsets: 'StatefulSet',
  'statefulset.apps': 'StatefulSet',
  'statefulsets.apps': 'StatefulSet',
  deploy: 'Deployment',
  deployment: 'Deployment',
  deployments: 'Deployment',
  'deployment.apps': 'Deployment',
  'deployments.apps': 'Deployment',
  rs: 'ReplicaSet',
  replicaset: 'ReplicaSet',
  replicasets: 'ReplicaSet',
  'replicaset.apps': 'ReplicaSet',
  'replicasets.apps': 'ReplicaSet',
  ds: 'DaemonSet',
  daemonset: 'DaemonSet',
  daemonsets: 'DaemonSet',
  'daemonset.apps': 'DaemonSet',
  'daemonsets.apps': 'DaemonSet',
  job: 'Job',
  jobs: 'Job',
  'job.batch': 'Job',
  'jobs.batch': 'Job',
}

/** From `KIND/NAME`, or `KIND` and `NAME`, as kubectl takes them. A text says what is wrong. */
export function parseTarget(first: string, second?: string): Target | string {
  const [kindWord = '', slashName, ...more] = first.split('/')
  const name = slashName ?? second ?? ''
  if (more.length > 0 || (slashName !== undefined && second !== undefined))
    return `${JSON.stringify([first, second].filter(Boolean).join(' '))} is not one object; write for example pvc/data`
  const kind = Object.hasOwn(KINDS, kindWord.toLowerCase()) ? KINDS[kindWord.toLowerCase()] : undefined
  if (!kind)
    return `unknown kind ${JSON.stringify(kindWord)}; there are pod (po), persistentvolumeclaim (pvc), persistentvolume (pv), volumeattachment (va), volumesnapshot (vs), volumesnapshotcontent (vsc), volumegroupsnapshot (vgs), volumegroupsnapshotcontent (vgsc), node (no), namespace (ns), storageclass (sc), volumeattributesclass (vac), volumesnapshotclass (vsclass), csidriver (driver), statefulset (sts), deployment (deploy), replicaset (rs), daemonset (ds) and job`
  if (name === '') return `the name is missing; write for example ${kindWord}/data`
  return { kind, name }
}
