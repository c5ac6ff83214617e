// Made by `npm run generate` from the .proto files beside this folder. Do not edit.

/** A type of Protocol Buffers; `map` stands for a map field. */
export type FieldType =
  | 'string' | 'bytes' | 'bool' | 'message' | 'enum' | 'map' | 'double' | 'float'
  | 'int32' | 'int64' | 'uint32' | 'uint64' | 'sint32' | 'sint64' | 'fixed32' | 'fixed64' | 'sfixed32' | 'sfixed64'

/** One field of a message. What is false or absent is left out. */
export type MessageField = {
  /** As the .proto file has it: `volume_id`. */
  readonly name: string
  /** As our types have it: `volumeId`. */
  readonly jsonName: string
  readonly number: number
  readonly type: FieldType
  /** Full name, for messages and enums, and for maps with such values. */
  readonly typeName?: string
  readonly repeated?: true
  readonly keyType?: FieldType
  readonly valueType?: FieldType
  /** The oneof it belongs to, as our types name it. */
  readonly oneof?: string
  /** Declared `optional`: absence differs from the zero value. */
  readonly optional?: true
  /** Must never be logged. */
  readonly secret?: true
  readonly alpha?: true
}

/** One call of a service; request and response are full names. */
export type ServiceMethod = {
  readonly name: string
  readonly request: string
  readonly response: string
  readonly clientStreaming?: true
  readonly serverStreaming?: true
  readonly alpha?: true
}

/** Fields by the full name of the message, in the order of the .proto file. */
export const MESSAGES: Readonly<Record<string, readonly MessageField[]>> = {
  'csi.v1.BlockMetadata': [
    { name: 'byte_offset', jsonName: 'byteOffset', number: 1, type: 'int64' },
    { name: 'size_bytes', jsonName: 'sizeBytes', number: 2, type: 'int64' },
  ],
  'csi.v1.CapacityRange': [
    { name: 'required_bytes', jsonName: 'requiredBytes', number: 1, type: 'int64' },
    { name: 'limit_bytes', jsonName: 'limitBytes', number: 2, type: 'int64' },
  ],
  'csi.v1.ControllerExpandVolumeRequest': [
    { name: 'volume_id', jsonName: 'volumeId', number: 1, type: 'string' },
    { name: 'capacity_range', jsonName: 'capacityRange', number: 2, type: 'message', typeName: 'csi.v1.CapacityRange' },
    { name: 'secrets', jsonName: 'secrets', number: 3, type: 'map', keyType: 'string', valueType: 'string', secret: true },
    { name: 'volume_capability', jsonName: 'volumeCapability', number: 4, type: 'message', typeName: 'csi.v1.VolumeCapability' },
  ],
  'csi.v1.ControllerExpandVolumeResponse': [
    { name: 'capacity_bytes', jsonName: 'capacityBytes', number: 1, type: 'int64' },
    { name: 'node_expansion_required', jsonName: 'nodeExpansionRequired', number: 2, type: 'bool' },
  ],
  'csi.v1.ControllerGetCapabilitiesRequest': [],
  'csi.v1.ControllerGetCapabilitiesResponse': [
    { name: 'capabilities', jsonName: 'capabilities', number: 1, type: 'message', typeName: 'csi.v1.ControllerServiceCapability', repeated: true },
  ],
  'csi.v1.ControllerGetVolumeHealthRequest': [
    { name: 'volume_id', jsonName: 'volumeId', number: 1, type: 'string' },
    { name: 'secrets', jsonName: 'secrets', number: 2, type: 'map', keyType: 'string', valueType: 'string', secret: true },
  ],
  'csi.v1.ControllerGetVolumeHealthResponse': [
    { name: 'volume_health', jsonName: 'volumeHealth', number: 1, type: 'message', typeName: 'csi.v1.VolumeHealth' },
  ],
  'csi.v1.ControllerGetVolumeRequest': [
    { name: 'volume_id', jsonName: 'volumeId', number: 1, type: 'string' },
  ],
  'csi.v1.ControllerGetVolumeResponse': [
    { name: 'volume', jsonName: 'volume', number: 1, type: 'message', typeName: 'csi.v1.Volume' },
    { name: 'status', jsonName: 'status', number: 2, type: 'message', typeName: 'csi.v1.ControllerGetVolumeResponse.VolumeStatus' },
  ],
  'csi.v1.ControllerGetVolumeResponse.VolumeStatus': [
    { name: 'published_node_ids', jsonName: 'publishedNodeIds', number: 1, type: 'string', repeated: true },
    { name: 'volume_condition', jsonName: 'volumeCondition', number: 2, type: 'message', typeName: 'csi.v1.VolumeCondition' },
  ],
  'csi.v1.ControllerListVolumeHealthRequest': [
    { name: 'max_entries', jsonName: 'maxEntries', number: 1, type: 'int32' },
    { name: 'starting_token', jsonName: 'startingToken', number: 2, type: 'string' },
    { name: 'secrets', jsonName: 'secrets', number: 3, type: 'map', keyType: 'string', valueType: 'string', secret: true },
  ],
  'csi.v1.ControllerListVolumeHealthResponse': [
    { name: 'entries', jsonName: 'entries', number: 1, type: 'message', typeName: 'csi.v1.VolumeHealth', repeated: true },
    { name: 'next_token', jsonName: 'nextToken', number: 2, type: 'string' },
  ],
  'csi.v1.ControllerModifyVolumeRequest': [
    { name: 'volume_id', jsonName: 'volumeId', number: 1, type: 'string' },
    { name: 'secrets', jsonName: 'secrets', number: 2, type: 'map', keyType: 'string', valueType: 'string', secret: true },
    { name: 'mutable_parameters', jsonName: 'mutableParameters', number: 3, type: 'map', keyType: 'string', valueType: 'string' },
  ],
  'csi.v1.ControllerModifyVolumeResponse': [],
  'csi.v1.ControllerPublishVolumeRequest': [
    { name: 'volume_id', jsonName: 'volumeId', number: 1, type: 'string' },
    { name: 'node_id', jsonName: 'nodeId', number: 2, type: 'string' },
    { name: 'volume_capability', jsonName: 'volumeCapability', number: 3, type: 'message', typeName: 'csi.v1.VolumeCapability' },
    { name: 'readonly', jsonName: 'readonly', number: 4, type: 'bool' },
    { name: 'secrets', jsonName: 'secrets', number: 5, type: 'map', keyType: 'string', valueType: 'string', secret: true },
    { name: 'volume_context', jsonName: 'volumeContext', number: 6, type: 'map', keyType: 'string', valueType: 'string' },
  ],
  'csi.v1.ControllerPublishVolumeResponse': [
    { name: 'publish_context', jsonName: 'publishContext', number: 1, type: 'map', keyType: 'string', valueType: 'string' },
  ],
  'csi.v1.ControllerServiceCapability': [
    { name: 'rpc', jsonName: 'rpc', number: 1, type: 'message', typeName: 'csi.v1.ControllerServiceCapability.RPC', oneof: 'type' },
  ],
  'csi.v1.ControllerServiceCapability.RPC': [
    { name: 'type', jsonName: 'type', number: 1, type: 'enum', typeName: 'csi.v1.ControllerServiceCapability.RPC.Type' },
  ],
  'csi.v1.ControllerUnpublishVolumeRequest': [
    { name: 'volume_id', jsonName: 'volumeId', number: 1, type: 'string' },
    { name: 'node_id', jsonName: 'nodeId', number: 2, type: 'string' },
    { name: 'secrets', jsonName: 'secrets', number: 3, type: 'map', keyType: 'string', valueType: 'string', secret: true },
  ],
  'csi.v1.ControllerUnpublishVolumeResponse': [],
  'csi.v1.CreateSnapshotRequest': [
    { name: 'source_volume_id', jsonName: 'sourceVolumeId', number: 1, type: 'string' },
    { name: 'name', jsonName: 'name', number: 2, type: 'string' },
    { name: 'secrets', jsonName: 'secrets', number: 3, type: 'map', keyType: 'string', valueType: 'string', secret: true },
    { name: 'parameters', jsonName: 'parameters', number: 4, type: 'map', keyType: 'string', valueType: 'string' },
    { name: 'accessibility_requirements', jsonName: 'accessibilityRequirements', number: 5, type: 'message', typeName: 'csi.v1.TopologyRequirement', alpha: true },
  ],
  'csi.v1.CreateSnapshotResponse': [
    { name: 'snapshot', jsonName: 'snapshot', number: 1, type: 'message', typeName: 'csi.v1.Snapshot' },
  ],
  'csi.v1.CreateVolumeGroupSnapshotRequest': [
    { name: 'name', jsonName: 'name', number: 1, type: 'string' },
    { name: 'source_volume_ids', jsonName: 'sourceVolumeIds', number: 2, type: 'string', repeated: true },
    { name: 'secrets', jsonName: 'secrets', number: 3, type: 'map', keyType: 'string', valueType: 'string', secret: true },
    { name: 'parameters', jsonName: 'parameters', number: 4, type: 'map', keyType: 'string', valueType: 'string' },
  ],
  'csi.v1.CreateVolumeGroupSnapshotResponse': [
    { name: 'group_snapshot', jsonName: 'groupSnapshot', number: 1, type: 'message', typeName: 'csi.v1.VolumeGroupSnapshot' },
  ],
  'csi.v1.CreateVolumeRequest': [
    { name: 'name', jsonName: 'name', number: 1, type: 'string' },
    { name: 'capacity_range', jsonName: 'capacityRange', number: 2, type: 'message', typeName: 'csi.v1.CapacityRange' },
    { name: 'volume_capabilities', jsonName: 'volumeCapabilities', number: 3, type: 'message', typeName: 'csi.v1.VolumeCapability', repeated: true },
    { name: 'parameters', jsonName: 'parameters', number: 4, type: 'map', keyType: 'string', valueType: 'string' },
    { name: 'secrets', jsonName: 'secrets', number: 5, type: 'map', keyType: 'string', valueType: 'string', secret: true },
    { name: 'volume_content_source', jsonName: 'volumeContentSource', number: 6, type: 'message', typeName: 'csi.v1.VolumeContentSource' },
    { name: 'accessibility_requirements', jsonName: 'accessibilityRequirements', number: 7, type: 'message', typeName: 'csi.v1.TopologyRequirement' },
    { name: 'mutable_parameters', jsonName: 'mutableParameters', number: 8, type: 'map', keyType: 'string', valueType: 'string' },
  ],
  'csi.v1.CreateVolumeResponse': [
    { name: 'volume', jsonName: 'volume', number: 1, type: 'message', typeName: 'csi.v1.Volume' },
  ],
  'csi.v1.DeleteSnapshotRequest': [
    { name: 'snapshot_id', jsonName: 'snapshotId', number: 1, type: 'string' },
    { name: 'secrets', jsonName: 'secrets', number: 2, type: 'map', keyType: 'string', valueType: 'string', secret: true },
  ],
  'csi.v1.DeleteSnapshotResponse': [],
  'csi.v1.DeleteVolumeGroupSnapshotRequest': [
    { name: 'group_snapshot_id', jsonName: 'groupSnapshotId', number: 1, type: 'string' },
    { name: 'snapshot_ids', jsonName: 'snapshotIds', number: 2, type: 'string', repeated: true },
    { name: 'secrets', jsonName: 'secrets', number: 3, type: 'map', keyType: 'string', valueType: 'string', secret: true },
  ],
  'csi.v1.DeleteVolumeGroupSnapshotResponse': [],
  'csi.v1.DeleteVolumeRequest': [
    { name: 'volume_id', jsonName: 'volumeId', number: 1, type: 'string' },
    { name: 'secrets', jsonName: 'secrets', number: 2, type: 'map', keyType: 'string', valueType: 'string', secret: true },
  ],
  'csi.v1.DeleteVolumeResponse': [],
  'csi.v1.GetCapacityRequest': [
    { name: 'volume_capabilities', jsonName: 'volumeCapabilities', number: 1, type: 'message', typeName: 'csi.v1.VolumeCapability', repeated: true },
    { name: 'parameters', jsonName: 'parameters', number: 2, type: 'map', keyType: 'string', valueType: 'string' },
    { name: 'accessible_topology', jsonName: 'accessibleTopology', number: 3, type: 'message', typeName: 'csi.v1.Topology' },
  ],
  'csi.v1.GetCapacityResponse': [
    { name: 'available_capacity', jsonName: 'availableCapacity', number: 1, type: 'int64' },
    { name: 'maximum_volume_size', jsonName: 'maximumVolumeSize', number: 2, type: 'message', typeName: 'google.protobuf.Int64Value' },
    { name: 'minimum_volume_size', jsonName: 'minimumVolumeSize', number: 3, type: 'message', typeName: 'google.protobuf.Int64Value', alpha: true },
  ],
  'csi.v1.GetMetadataAllocatedRequest': [
    { name: 'snapshot_id', jsonName: 'snapshotId', number: 1, type: 'string' },
    { name: 'starting_offset', jsonName: 'startingOffset', number: 2, type: 'int64' },
    { name: 'max_results', jsonName: 'maxResults', number: 3, type: 'int32' },
    { name: 'secrets', jsonName: 'secrets', number: 4, type: 'map', keyType: 'string', valueType: 'string', secret: true },
  ],
  'csi.v1.GetMetadataAllocatedResponse': [
    { name: 'block_metadata_type', jsonName: 'blockMetadataType', number: 1, type: 'enum', typeName: 'csi.v1.BlockMetadataType' },
    { name: 'volume_capacity_bytes', jsonName: 'volumeCapacityBytes', number: 2, type: 'int64' },
    { name: 'block_metadata', jsonName: 'blockMetadata', number: 3, type: 'message', typeName: 'csi.v1.BlockMetadata', repeated: true },
  ],
  'csi.v1.GetMetadataDeltaRequest': [
    { name: 'base_snapshot_id', jsonName: 'baseSnapshotId', number: 1, type: 'string' },
    { name: 'target_snapshot_id', jsonName: 'targetSnapshotId', number: 2, type: 'string' },
    { name: 'starting_offset', jsonName: 'startingOffset', number: 3, type: 'int64' },
    { name: 'max_results', jsonName: 'maxResults', number: 4, type: 'int32' },
    { name: 'secrets', jsonName: 'secrets', number: 5, type: 'map', keyType: 'string', valueType: 'string', secret: true },
  ],
  'csi.v1.GetMetadataDeltaResponse': [
    { name: 'block_metadata_type', jsonName: 'blockMetadataType', number: 1, type: 'enum', typeName: 'csi.v1.BlockMetadataType' },
    { name: 'volume_capacity_bytes', jsonName: 'volumeCapacityBytes', number: 2, type: 'int64' },
    { name: 'block_metadata', jsonName: 'blockMetadata', number: 3, type: 'message', typeName: 'csi.v1.BlockMetadata', repeated: true },
  ],
  'csi.v1.GetPluginCapabilitiesRequest': [],
  'csi.v1.GetPluginCapabilitiesResponse': [
    { name: 'capabilities', jsonName: 'capabilities', number: 1, type: 'message', typeName: 'csi.v1.PluginCapability', repeated: true },
  ],
  'csi.v1.GetPluginInfoRequest': [],
  'csi.v1.GetPluginInfoResponse': [
    { name: 'name', jsonName: 'name', number: 1, type: 'string' },
    { name: 'vendor_version', jsonName: 'vendorVersion', number: 2, type: 'string' },
    { name: 'manifest', jsonName: 'manifest', number: 3, type: 'map', keyType: 'string', valueType: 'string' },
  ],
  'csi.v1.GetSnapshotRequest': [
    { name: 'snapshot_id', jsonName: 'snapshotId', number: 1, type: 'string' },
    { name: 'secrets', jsonName: 'secrets', number: 2, type: 'map', keyType: 'string', valueType: 'string', secret: true },
  ],
  'csi.v1.GetSnapshotResponse': [
    { name: 'snapshot', jsonName: 'snapshot', number: 1, type: 'message', typeName: 'csi.v1.Snapshot' },
  ],
  'csi.v1.GetVolumeGroupSnapshotRequest': [
    { name: 'group_snapshot_id', jsonName: 'groupSnapshotId', number: 1, type: 'string' },
    { name: 'snapshot_ids', jsonName: 'snapshotIds', number: 2, type: 'string', repeated: true },
    { name: 'secrets', jsonName: 'secrets', number: 3, type: 'map', keyType: 'string', valueType: 'string', secret: true },
  ],
  'csi.v1.GetVolumeGroupSnapshotResponse': [
    { name: 'group_snapshot', jsonName: 'groupSnapshot', number: 1, type: 'message', typeName: 'csi.v1.VolumeGroupSnapshot' },
  ],
  'csi.v1.GroupControllerGetCapabilitiesRequest': [],
  'csi.v1.GroupControllerGetCapabilitiesResponse': [
    { name: 'capabilities', jsonName: 'capabilities', number: 1, type: 'message', typeName: 'csi.v1.GroupControllerServiceCapability', repeated: true },
  ],
  'csi.v1.GroupControllerServiceCapability': [
    { name: 'rpc', jsonName: 'rpc', number: 1, type: 'message', typeName: 'csi.v1.GroupControllerServiceCapability.RPC', oneof: 'type' },
  ],
  'csi.v1.GroupControllerServiceCapability.RPC': [
    { name: 'type', jsonName: 'type', number: 1, type: 'enum', typeName: 'csi.v1.GroupControllerServiceCapability.RPC.Type' },
  ],
  'csi.v1.ListSnapshotsRequest': [
    { name: 'max_entries', jsonName: 'maxEntries', number: 1, type: 'int32' },
    { name: 'starting_token', jsonName: 'startingToken', number: 2, type: 'string' },
    { name: 'source_volume_id', jsonName: 'sourceVolumeId', number: 3, type: 'string' },
    { name: 'snapshot_id', jsonName: 'snapshotId', number: 4, type: 'string' },
    { name: 'secrets', jsonName: 'secrets', number: 5, type: 'map', keyType: 'string', valueType: 'string', secret: true },
  ],
  'csi.v1.ListSnapshotsResponse': [
    { name: 'entries', jsonName: 'entries', number: 1, type: 'message', typeName: 'csi.v1.ListSnapshotsResponse.Entry', repeated: true },
    { name: 'next_token', jsonName: 'nextToken', number: 2, type: 'string' },
  ],
  'csi.v1.ListSnapshotsResponse.Entry': [
    { name: 'snapshot', jsonName: 'snapshot', number: 1, type: 'message', typeName: 'csi.v1.Snapshot' },
  ],
  'csi.v1.ListVolumesRequest': [
    { name: 'max_entries', jsonName: 'maxEntries', number: 1, type: 'int32' },
    { name: 'starting_token', jsonName: 'startingToken', number: 2, type: 'string' },
  ],
  'csi.v1.ListVolumesResponse': [
    { name: 'entries', jsonName: 'entries', number: 1, type: 'message', typeName: 'csi.v1.ListVolumesResponse.Entry', repeated: true },
    { name: 'next_token', jsonName: 'nextToken', number: 2, type: 'string' },
  ],
  'csi.v1.ListVolumesResponse.Entry': [
    { name: 'volume', jsonName: 'volume', number: 1, type: 'message', typeName: 'csi.v1.Volume' },
    { name: 'status', jsonName: 'status', number: 2, type: 'message', typeName: 'csi.v1.ListVolumesResponse.VolumeStatus' },
  ],
  'csi.v1.ListVolumesResponse.VolumeStatus': [
    { name: 'published_node_ids', jsonName: 'publishedNodeIds', number: 1, type: 'string', repeated: true },
    { name: 'volume_condition', jsonName: 'volumeCondition', number: 2, type: 'message', typeName: 'csi.v1.VolumeCondition', alpha: true },
  ],
  'csi.v1.NodeExpandVolumeRequest': [
    { name: 'volume_id', jsonName: 'volumeId', number: 1, type: 'string' },
    { name: 'volume_path', jsonName: 'volumePath', number: 2, type: 'string' },
    { name: 'capacity_range', jsonName: 'capacityRange', number: 3, type: 'message', typeName: 'csi.v1.CapacityRange' },
    { name: 'staging_target_path', jsonName: 'stagingTargetPath', number: 4, type: 'string' },
    { name: 'volume_capability', jsonName: 'volumeCapability', number: 5, type: 'message', typeName: 'csi.v1.VolumeCapability' },
    { name: 'secrets', jsonName: 'secrets', number: 6, type: 'map', keyType: 'string', valueType: 'string', secret: true, alpha: true },
  ],
  'csi.v1.NodeExpandVolumeResponse': [
    { name: 'capacity_bytes', jsonName: 'capacityBytes', number: 1, type: 'int64' },
  ],
  'csi.v1.NodeGetCapabilitiesRequest': [],
  'csi.v1.NodeGetCapabilitiesResponse': [
    { name: 'capabilities', jsonName: 'capabilities', number: 1, type: 'message', typeName: 'csi.v1.NodeServiceCapability', repeated: true },
  ],
  'csi.v1.NodeGetInfoRequest': [],
  'csi.v1.NodeGetInfoResponse': [
    { name: 'node_id', jsonName: 'nodeId', number: 1, type: 'string' },
    { name: 'max_volumes_per_node', jsonName: 'maxVolumesPerNode', number: 2, type: 'int64' },
    { name: 'accessible_topology', jsonName: 'accessibleTopology', number: 3, type: 'message', typeName: 'csi.v1.Topology' },
  ],
  'csi.v1.NodeGetStorageHealthRequest': [
    { name: 'secrets', jsonName: 'secrets', number: 1, type: 'map', keyType: 'string', valueType: 'string', secret: true },
  ],
  'csi.v1.NodeGetStorageHealthResponse': [
    { name: 'backend_health', jsonName: 'backendHealth', number: 1, type: 'message', typeName: 'csi.v1.NodeGetStorageHealthResponse.StorageBackendHealth', repeated: true },
  ],
  'csi.v1.NodeGetStorageHealthResponse.StorageBackendHealth': [
    { name: 'status', jsonName: 'status', number: 1, type: 'enum', typeName: 'csi.v1.StorageHealthErrorType' },
    { name: 'reason', jsonName: 'reason', number: 2, type: 'string' },
    { name: 'message', jsonName: 'message', number: 3, type: 'string' },
    { name: 'volume_capability', jsonName: 'volumeCapability', number: 4, type: 'message', typeName: 'csi.v1.VolumeCapability' },
  ],
  'csi.v1.NodeGetVolumeHealthRequest': [
    { name: 'volume_id', jsonName: 'volumeId', number: 1, type: 'string' },
    { name: 'volume_publish_path', jsonName: 'volumePublishPath', number: 2, type: 'string' },
    { name: 'staging_target_path', jsonName: 'stagingTargetPath', number: 3, type: 'string' },
  ],
  'csi.v1.NodeGetVolumeHealthResponse': [
    { name: 'volume_health', jsonName: 'volumeHealth', number: 1, type: 'message', typeName: 'csi.v1.VolumeHealth' },
  ],
  'csi.v1.NodeGetVolumeStatsRequest': [
    { name: 'volume_id', jsonName: 'volumeId', number: 1, type: 'string' },
    { name: 'volume_path', jsonName: 'volumePath', number: 2, type: 'string' },
    { name: 'staging_target_path', jsonName: 'stagingTargetPath', number: 3, type: 'string' },
  ],
  'csi.v1.NodeGetVolumeStatsResponse': [
    { name: 'usage', jsonName: 'usage', number: 1, type: 'message', typeName: 'csi.v1.VolumeUsage', repeated: true },
    { name: 'volume_condition', jsonName: 'volumeCondition', number: 2, type: 'message', typeName: 'csi.v1.VolumeCondition', alpha: true },
  ],
  'csi.v1.NodePublishVolumeRequest': [
    { name: 'volume_id', jsonName: 'volumeId', number: 1, type: 'string' },
    { name: 'publish_context', jsonName: 'publishContext', number: 2, type: 'map', keyType: 'string', valueType: 'string' },
    { name: 'staging_target_path', jsonName: 'stagingTargetPath', number: 3, type: 'string' },
    { name: 'target_path', jsonName: 'targetPath', number: 4, type: 'string' },
    { name: 'volume_capability', jsonName: 'volumeCapability', number: 5, type: 'message', typeName: 'csi.v1.VolumeCapability' },
    { name: 'readonly', jsonName: 'readonly', number: 6, type: 'bool' },
    { name: 'secrets', jsonName: 'secrets', number: 7, type: 'map', keyType: 'string', valueType: 'string', secret: true },
    { name: 'volume_context', jsonName: 'volumeContext', number: 8, type: 'map', keyType: 'string', valueType: 'string' },
  ],
  'csi.v1.NodePublishVolumeResponse': [],
  'csi.v1.NodeServiceCapability': [
    { name: 'rpc', jsonName: 'rpc', number: 1, type: 'message', typeName: 'csi.v1.NodeServiceCapability.RPC', oneof: 'type' },
  ],
  'csi.v1.NodeServiceCapability.RPC': [
    { name: 'type', jsonName: 'type', number: 1, type: 'enum', typeName: 'csi.v1.NodeServiceCapability.RPC.Type' },
  ],
  'csi.v1.NodeStageVolumeRequest': [
    { name: 'volume_id', jsonName: 'volumeId', number: 1, type: 'string' },
    { name: 'publish_context', jsonName: 'publishContext', number: 2, type: 'map', keyType: 'string', valueType: 'string' },
    { name: 'staging_target_path', jsonName: 'stagingTargetPath', number: 3, type: 'string' },
    { name: 'volume_capability', jsonName: 'volumeCapability', number: 4, type: 'message', typeName: 'csi.v1.VolumeCapability' },
    { name: 'secrets', jsonName: 'secrets', number: 5, type: 'map', keyType: 'string', valueType: 'string', secret: true },
    { name: 'volume_context', jsonName: 'volumeContext', number: 6, type: 'map', keyType: 'string', valueType: 'string' },
  ],
  'csi.v1.NodeStageVolumeResponse': [],
  'csi.v1.NodeUnpublishVolumeRequest': [
    { name: 'volume_id', jsonName: 'volumeId', number: 1, type: 'string' },
    { name: 'target_path', jsonName: 'targetPath', number: 2, type: 'string' },
  ],
  'csi.v1.NodeUnpublishVolumeResponse': [],
  'csi.v1.NodeUnstageVolumeRequest': [
    { name: 'volume_id', jsonName: 'volumeId', number: 1, type: 'string' },
    { name: 'staging_target_path', jsonName: 'stagingTargetPath', number: 2, type: 'string' },
  ],
  'csi.v1.NodeUnstageVolumeResponse': [],
  'csi.v1.PluginCapability': [
    { name: 'service', jsonName: 'service', number: 1, type: 'message', typeName: 'csi.v1.PluginCapability.Service', oneof: 'type' },
    { name: 'volume_expansion', jsonName: 'volumeExpansion', number: 2, type: 'message', typeName: 'csi.v1.PluginCapability.VolumeExpansion', oneof: 'type' },
  ],
  'csi.v1.PluginCapability.Service': [
    { name: 'type', jsonName: 'type', number: 1, type: 'enum', typeName: 'csi.v1.PluginCapability.Service.Type' },
  ],
  'csi.v1.PluginCapability.VolumeExpansion': [
    { name: 'type', jsonName: 'type', number: 1, type: 'enum', typeName: 'csi.v1.PluginCapability.VolumeExpansion.Type' },
  ],
  'csi.v1.ProbeRequest': [],
  'csi.v1.ProbeResponse': [
    { name: 'ready', jsonName: 'ready', number: 1, type: 'message', typeName: 'google.protobuf.BoolValue' },
  ],
  'csi.v1.Snapshot': [
    { name: 'size_bytes', jsonName: 'sizeBytes', number: 1, type: 'int64' },
    { name: 'snapshot_id', jsonName: 'snapshotId', number: 2, type: 'string' },
    { name: 'source_volume_id', jsonName: 'sourceVolumeId', number: 3, type: 'string' },
    { name: 'creation_time', jsonName: 'creationTime', number: 4, type: 'message', typeName: 'google.protobuf.Timestamp' },
    { name: 'ready_to_use', jsonName: 'readyToUse', number: 5, type: 'bool' },
    { name: 'group_snapshot_id', jsonName: 'groupSnapshotId', number: 6, type: 'string' },
    { name: 'accessible_topology', jsonName: 'accessibleTopology', number: 7, type: 'message', typeName: 'csi.v1.Topology', repeated: true, alpha: true },
  ],
  'csi.v1.Topology': [
    { name: 'segments', jsonName: 'segments', number: 1, type: 'map', keyType: 'string', valueType: 'string' },
  ],
  'csi.v1.TopologyRequirement': [
    { name: 'requisite', jsonName: 'requisite', number: 1, type: 'message', typeName: 'csi.v1.Topology', repeated: true },
    { name: 'preferred', jsonName: 'preferred', number: 2, type: 'message', typeName: 'csi.v1.Topology', repeated: true },
  ],
  'csi.v1.ValidateVolumeCapabilitiesRequest': [
    { name: 'volume_id', jsonName: 'volumeId', number: 1, type: 'string' },
    { name: 'volume_context', jsonName: 'volumeContext', number: 2, type: 'map', keyType: 'string', valueType: 'string' },
    { name: 'volume_capabilities', jsonName: 'volumeCapabilities', number: 3, type: 'message', typeName: 'csi.v1.VolumeCapability', repeated: true },
    { name: 'parameters', jsonName: 'parameters', number: 4, type: 'map', keyType: 'string', valueType: 'string' },
    { name: 'secrets', jsonName: 'secrets', number: 5, type: 'map', keyType: 'string', valueType: 'string', secret: true },
    { name: 'mutable_parameters', jsonName: 'mutableParameters', number: 6, type: 'map', keyType: 'string', valueType: 'string' },
  ],
  'csi.v1.ValidateVolumeCapabilitiesResponse': [
    { name: 'confirmed', jsonName: 'confirmed', number: 1, type: 'message', typeName: 'csi.v1.ValidateVolumeCapabilitiesResponse.Confirmed' },
    { name: 'message', jsonName: 'message', number: 2, type: 'string' },
  ],
  'csi.v1.ValidateVolumeCapabilitiesResponse.Confirmed': [
    { name: 'volume_context', jsonName: 'volumeContext', number: 1, type: 'map', keyType: 'string', valueType: 'string' },
    { name: 'volume_capabilities', jsonName: 'volumeCapabilities', number: 2, type: 'message', typeName: 'csi.v1.VolumeCapability', repeated: true },
    { name: 'parameters', jsonName: 'parameters', number: 3, type: 'map', keyType: 'string', valueType: 'string' },
    { name: 'mutable_parameters', jsonName: 'mutableParameters', number: 4, type: 'map', keyType: 'string', valueType: 'string' },
  ],
  'csi.v1.Volume': [
    { name: 'capacity_bytes', jsonName: 'capacityBytes', number: 1, type: 'int64' },
    { name: 'volume_id', jsonName: 'volumeId', number: 2, type: 'string' },
    { name: 'volume_context', jsonName: 'volumeContext', number: 3, type: 'map', keyType: 'string', valueType: 'string' },
    { name: 'content_source', jsonName: 'contentSource', number: 4, type: 'message', typeName: 'csi.v1.VolumeContentSource' },
    { name: 'accessible_topology', jsonName: 'accessibleTopology', number: 5, type: 'message', typeName: 'csi.v1.Topology', repeated: true },
  ],
  'csi.v1.VolumeCapability': [
    { name: 'block', jsonName: 'block', number: 1, type: 'message', typeName: 'csi.v1.VolumeCapability.BlockVolume', oneof: 'accessType' },
    { name: 'mount', jsonName: 'mount', number: 2, type: 'message', typeName: 'csi.v1.VolumeCapability.MountVolume', oneof: 'accessType' },
    { name: 'access_mode', jsonName: 'accessMode', number: 3, type: 'message', typeName: 'csi.v1.VolumeCapability.AccessMode' },
  ],
  'csi.v1.VolumeCapability.AccessMode': [
    { name: 'mode', jsonName: 'mode', number: 1, type: 'enum', typeName: 'csi.v1.VolumeCapability.AccessMode.Mode' },
  ],
  'csi.v1.VolumeCapability.BlockVolume': [],
  'csi.v1.VolumeCapability.MountVolume': [
    { name: 'fs_type', jsonName: 'fsType', number: 1, type: 'string' },
    { name: 'mount_flags', jsonName: 'mountFlags', number: 2, type: 'string', repeated: true },
    { name: 'volume_mount_group', jsonName: 'volumeMountGroup', number: 3, type: 'string' },
  ],
  'csi.v1.VolumeCondition': [
    { name: 'abnormal', jsonName: 'abnormal', number: 1, type: 'bool' },
    { name: 'message', jsonName: 'message', number: 2, type: 'string' },
  ],
  'csi.v1.VolumeContentSource': [
    { name: 'snapshot', jsonName: 'snapshot', number: 1, type: 'message', typeName: 'csi.v1.VolumeContentSource.SnapshotSource', oneof: 'type' },
    { name: 'volume', jsonName: 'volume', number: 2, type: 'message', typeName: 'csi.v1.VolumeContentSource.VolumeSource', oneof: 'type' },
  ],
  'csi.v1.VolumeContentSource.SnapshotSource': [
    { name: 'snapshot_id', jsonName: 'snapshotId', number: 1, type: 'string' },
  ],
  'csi.v1.VolumeContentSource.VolumeSource': [
    { name: 'volume_id', jsonName: 'volumeId', number: 1, type: 'string' },
  ],
  'csi.v1.VolumeGroupSnapshot': [
    { name: 'group_snapshot_id', jsonName: 'groupSnapshotId', number: 1, type: 'string' },
    { name: 'snapshots', jsonName: 'snapshots', number: 2, type: 'message', typeName: 'csi.v1.Snapshot', repeated: true },
    { name: 'creation_time', jsonName: 'creationTime', number: 3, type: 'message', typeName: 'google.protobuf.Timestamp' },
    { name: 'ready_to_use', jsonName: 'readyToUse', number: 4, type: 'bool' },
  ],
  'csi.v1.VolumeHealth': [
    { name: 'volume_id', jsonName: 'volumeId', number: 1, type: 'string' },
    { name: 'health_statuses', jsonName: 'healthStatuses', number: 2, type: 'message', typeName: 'csi.v1.VolumeHealth.VolumeHealthEntry', repeated: true },
  ],
  'csi.v1.VolumeHealth.VolumeHealthEntry': [
    { name: 'status', jsonName: 'status', number: 1, type: 'enum', typeName: 'csi.v1.VolumeHealthErrorType' },
    { name: 'reason', jsonName: 'reason', number: 2, type: 'string' },
    { name: 'message', jsonName: 'message', number: 3, type: 'string' },
  ],
  'csi.v1.VolumeUsage': [
    { name: 'available', jsonName: 'available', number: 1, type: 'int64' },
    { name: 'total', jsonName: 'total', number: 2, type: 'int64' },
    { name: 'used', jsonName: 'used', number: 3, type: 'int64' },
    { name: 'unit', jsonName: 'unit', number: 4, type: 'enum', typeName: 'csi.v1.VolumeUsage.Unit' },
  ],
  'csiregistration.CSIDriverInfo': [
    { name: 'csi_endpoint', jsonName: 'csiEndpoint', number: 1, type: 'string' },
    { name: 'options', jsonName: 'options', number: 2, type: 'message', typeName: 'csiregistration.CSIDriverOptions' },
  ],
  'csiregistration.CSIDriverInfoRequest': [],
  'csiregistration.CSIDriverOptions': [
    { name: 'requires_publish_pod', jsonName: 'requiresPublishPod', number: 1, type: 'bool' },
  ],
  'pluginregistration.InfoRequest': [],
  'pluginregistration.PluginInfo': [
    { name: 'type', jsonName: 'type', number: 1, type: 'string' },
    { name: 'name', jsonName: 'name', number: 2, type: 'string' },
    { name: 'endpoint', jsonName: 'endpoint', number: 3, type: 'string' },
    { name: 'supported_versions', jsonName: 'supportedVersions', number: 4, type: 'string', repeated: true },
  ],
  'pluginregistration.RegistrationStatus': [
    { name: 'plugin_registered', jsonName: 'pluginRegistered', number: 1, type: 'bool' },
    { name: 'error', jsonName: 'error', number: 2, type: 'string' },
  ],
  'pluginregistration.RegistrationStatusResponse': [],
}

/** Value names by number, by the full name of the enum. */
export const ENUMS: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  'csi.v1.BlockMetadataType': {
    0: 'UNKNOWN',
    1: 'FIXED_LENGTH',
    2: 'VARIABLE_LENGTH',
  },
  'csi.v1.ControllerServiceCapability.RPC.Type': {
    0: 'UNKNOWN',
    1: 'CREATE_DELETE_VOLUME',
    2: 'PUBLISH_UNPUBLISH_VOLUME',
    3: 'LIST_VOLUMES',
    4: 'GET_CAPACITY',
    5: 'CREATE_DELETE_SNAPSHOT',
    6: 'LIST_SNAPSHOTS',
    7: 'CLONE_VOLUME',
    8: 'PUBLISH_READONLY',
    9: 'EXPAND_VOLUME',
    10: 'LIST_VOLUMES_PUBLISHED_NODES',
    11: 'VOLUME_CONDITION',
    12: 'GET_VOLUME',
    13: 'SINGLE_NODE_MULTI_WRITER',
    14: 'MODIFY_VOLUME',
    15: 'GET_SNAPSHOT',
    16: 'GET_VOLUME_HEALTH',
    17: 'LIST_VOLUME_HEALTH',
  },
  'csi.v1.GroupControllerServiceCapability.RPC.Type': {
    0: 'UNKNOWN',
    1: 'CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT',
  },
  'csi.v1.NodeServiceCapability.RPC.Type': {
    0: 'UNKNOWN',
    1: 'STAGE_UNSTAGE_VOLUME',
    2: 'GET_VOLUME_STATS',
    3: 'EXPAND_VOLUME',
    4: 'VOLUME_CONDITION',
    5: 'SINGLE_NODE_MULTI_WRITER',
    6: 'VOLUME_MOUNT_GROUP',
    7: 'GET_VOLUME_HEALTH',
    8: 'GET_STORAGE_HEALTH',
  },
  'csi.v1.PluginCapability.Service.Type': {
    0: 'UNKNOWN',
    1: 'CONTROLLER_SERVICE',
    2: 'VOLUME_ACCESSIBILITY_CONSTRAINTS',
    3: 'GROUP_CONTROLLER_SERVICE',
    4: 'SNAPSHOT_METADATA_SERVICE',
    5: 'SNAPSHOT_ACCESSIBILITY_CONSTRAINTS',
  },
  'csi.v1.PluginCapability.VolumeExpansion.Type': {
    0: 'UNKNOWN',
    1: 'ONLINE',
    2: 'OFFLINE',
  },
  'csi.v1.StorageHealthErrorType': {
    0: 'UNKNOWN_STORAGE_HEALTH_ERROR_TYPE',
    1: 'STORAGE_DEGRADED',
    2: 'STORAGE_UNREACHABLE',
  },
  'csi.v1.VolumeCapability.AccessMode.Mode': {
    0: 'UNKNOWN',
    1: 'SINGLE_NODE_WRITER',
    2: 'SINGLE_NODE_READER_ONLY',
    3: 'MULTI_NODE_READER_ONLY',
    4: 'MULTI_NODE_SINGLE_WRITER',
    5: 'MULTI_NODE_MULTI_WRITER',
    6: 'SINGLE_NODE_SINGLE_WRITER',
    7: 'SINGLE_NODE_MULTI_WRITER',
  },
  'csi.v1.VolumeHealthErrorType': {
    0: 'UNKNOWN_VOLUME_HEALTH_TYPE',
    1: 'DEGRADED',
    2: 'INACCESSIBLE',
    3: 'DATA_LOSS',
  },
  'csi.v1.VolumeUsage.Unit': {
    0: 'UNKNOWN',
    1: 'BYTES',
    2: 'INODES',
  },
}

/** Calls by the full name of the service. */
export const SERVICES: Readonly<Record<string, readonly ServiceMethod[]>> = {
  'csi.v1.Controller': [
    { name: 'CreateVolume', request: 'csi.v1.CreateVolumeRequest', response: 'csi.v1.CreateVolumeResponse' },
    { name: 'DeleteVolume', request: 'csi.v1.DeleteVolumeRequest', response: 'csi.v1.DeleteVolumeResponse' },
    { name: 'ControllerPublishVolume', request: 'csi.v1.ControllerPublishVolumeRequest', response: 'csi.v1.ControllerPublishVolumeResponse' },
    { name: 'ControllerUnpublishVolume', request: 'csi.v1.ControllerUnpublishVolumeRequest', response: 'csi.v1.ControllerUnpublishVolumeResponse' },
    { name: 'ValidateVolumeCapabilities', request: 'csi.v1.ValidateVolumeCapabilitiesRequest', response: 'csi.v1.ValidateVolumeCapabilitiesResponse' },
    { name: 'ListVolumes', request: 'csi.v1.ListVolumesRequest', response: 'csi.v1.ListVolumesResponse' },
    { name: 'GetCapacity', request: 'csi.v1.GetCapacityRequest', response: 'csi.v1.GetCapacityResponse' },
    { name: 'ControllerGetCapabilities', request: 'csi.v1.ControllerGetCapabilitiesRequest', response: 'csi.v1.ControllerGetCapabilitiesResponse' },
    { name: 'CreateSnapshot', request: 'csi.v1.CreateSnapshotRequest', response: 'csi.v1.CreateSnapshotResponse' },
    { name: 'DeleteSnapshot', request: 'csi.v1.DeleteSnapshotRequest', response: 'csi.v1.DeleteSnapshotResponse' },
    { name: 'ListSnapshots', request: 'csi.v1.ListSnapshotsRequest', response: 'csi.v1.ListSnapshotsResponse' },
    { name: 'GetSnapshot', request: 'csi.v1.GetSnapshotRequest', response: 'csi.v1.GetSnapshotResponse', alpha: true },
    { name: 'ControllerExpandVolume', request: 'csi.v1.ControllerExpandVolumeRequest', response: 'csi.v1.ControllerExpandVolumeResponse' },
    { name: 'ControllerGetVolume', request: 'csi.v1.ControllerGetVolumeRequest', response: 'csi.v1.ControllerGetVolumeResponse', alpha: true },
    { name: 'ControllerListVolumeHealth', request: 'csi.v1.ControllerListVolumeHealthRequest', response: 'csi.v1.ControllerListVolumeHealthResponse', alpha: true },
    { name: 'ControllerGetVolumeHealth', request: 'csi.v1.ControllerGetVolumeHealthRequest', response: 'csi.v1.ControllerGetVolumeHealthResponse', alpha: true },
    { name: 'ControllerModifyVolume', request: 'csi.v1.ControllerModifyVolumeRequest', response: 'csi.v1.ControllerModifyVolumeResponse' },
  ],
  'csi.v1.GroupController': [
    { name: 'GroupControllerGetCapabilities', request: 'csi.v1.GroupControllerGetCapabilitiesRequest', response: 'csi.v1.GroupControllerGetCapabilitiesResponse' },
    { name: 'CreateVolumeGroupSnapshot', request: 'csi.v1.CreateVolumeGroupSnapshotRequest', response: 'csi.v1.CreateVolumeGroupSnapshotResponse' },
    { name: 'DeleteVolumeGroupSnapshot', request: 'csi.v1.DeleteVolumeGroupSnapshotRequest', response: 'csi.v1.DeleteVolumeGroupSnapshotResponse' },
    { name: 'GetVolumeGroupSnapshot', request: 'csi.v1.GetVolumeGroupSnapshotRequest', response: 'csi.v1.GetVolumeGroupSnapshotResponse' },
  ],
  'csi.v1.Identity': [
    { name: 'GetPluginInfo', request: 'csi.v1.GetPluginInfoRequest', response: 'csi.v1.GetPluginInfoResponse' },
    { name: 'GetPluginCapabilities', request: 'csi.v1.GetPluginCapabilitiesRequest', response: 'csi.v1.GetPluginCapabilitiesResponse' },
    { name: 'Probe', request: 'csi.v1.ProbeRequest', response: 'csi.v1.ProbeResponse' },
  ],
  'csi.v1.Node': [
    { name: 'NodeStageVolume', request: 'csi.v1.NodeStageVolumeRequest', response: 'csi.v1.NodeStageVolumeResponse' },
    { name: 'NodeUnstageVolume', request: 'csi.v1.NodeUnstageVolumeRequest', response: 'csi.v1.NodeUnstageVolumeResponse' },
    { name: 'NodePublishVolume', request: 'csi.v1.NodePublishVolumeRequest', response: 'csi.v1.NodePublishVolumeResponse' },
    { name: 'NodeUnpublishVolume', request: 'csi.v1.NodeUnpublishVolumeRequest', response: 'csi.v1.NodeUnpublishVolumeResponse' },
    { name: 'NodeGetVolumeStats', request: 'csi.v1.NodeGetVolumeStatsRequest', response: 'csi.v1.NodeGetVolumeStatsResponse' },
    { name: 'NodeGetVolumeHealth', request: 'csi.v1.NodeGetVolumeHealthRequest', response: 'csi.v1.NodeGetVolumeHealthResponse', alpha: true },
    { name: 'NodeGetStorageHealth', request: 'csi.v1.NodeGetStorageHealthRequest', response: 'csi.v1.NodeGetStorageHealthResponse', alpha: true },
    { name: 'NodeExpandVolume', request: 'csi.v1.NodeExpandVolumeRequest', response: 'csi.v1.NodeExpandVolumeResponse' },
    { name: 'NodeGetCapabilities', request: 'csi.v1.NodeGetCapabilitiesRequest', response: 'csi.v1.NodeGetCapabilitiesResponse' },
    { name: 'NodeGetInfo', request: 'csi.v1.NodeGetInfoRequest', response: 'csi.v1.NodeGetInfoResponse' },
  ],
  'csi.v1.SnapshotMetadata': [
    { name: 'GetMetadataAllocated', request: 'csi.v1.GetMetadataAllocatedRequest', response: 'csi.v1.GetMetadataAllocatedResponse', serverStreaming: true },
    { name: 'GetMetadataDelta', request: 'csi.v1.GetMetadataDeltaRequest', response: 'csi.v1.GetMetadataDeltaResponse', serverStreaming: true },
  ],
  'csiregistration.CSIRegistration': [
    { name: 'GetCSIDriverInfo', request: 'csiregistration.CSIDriverInfoRequest', response: 'csiregistration.CSIDriverInfo' },
  ],
  'pluginregistration.Registration': [
    { name: 'GetInfo', request: 'pluginregistration.InfoRequest', response: 'pluginregistration.PluginInfo' },
    { name: 'NotifyRegistrationStatus', request: 'pluginregistration.RegistrationStatus', response: 'pluginregistration.RegistrationStatusResponse' },
  ],
}
