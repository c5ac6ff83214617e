"""What a program with Kubernetes' client for Python does: run with the path of a kubeconfig."""

import sys

from kubernetes import client, config, dynamic, watch
from kubernetes.client.rest import ApiException

config.load_kube_config(sys.argv[1])
core = client.CoreV1Api()
storage = client.StorageV1Api()
NAMESPACE = "default"


def meta(name, **more):
    return client.V1ObjectMeta(name=name, **more)


# Typed objects: a claim and a pod that uses it, until it runs.
assert client.VersionApi().get_code().major == "1"
core.create_namespaced_persistent_volume_claim(
    NAMESPACE,
    client.V1PersistentVolumeClaim(
        metadata=meta("python", labels={"app": "python"}),
        spec=client.V1PersistentVolumeClaimSpec(
            access_modes=["ReadWriteOnce"],
            resources=client.V1VolumeResourceRequirements(requests={"storage": "1Gi"}),
        ),
    ),
)
volume = client.V1Volume(
    name="data", persistent_volume_claim=client.V1PersistentVolumeClaimVolumeSource(claim_name="python")
)
container = client.V1Container(
    name="main", image="main", volume_mounts=[client.V1VolumeMount(name="data", mount_path="/data")]
)
core.create_namespaced_pod(
    NAMESPACE,
    client.V1Pod(metadata=meta("python"), spec=client.V1PodSpec(containers=[container], volumes=[volume])),
)
events = watch.Watch()
for event in events.stream(core.list_namespaced_pod, NAMESPACE, field_selector="metadata.name=python", timeout_seconds=60):
    if event["object"].status.phase == "Running":
        events.stop()
        break
else:
    raise SystemExit("the pod is not running after a minute")
claim = core.read_namespaced_persistent_volume_claim("python", NAMESPACE)
assert claim.status.phase == "Bound" and claim.status.capacity["storage"] == "1Gi", claim.status
assert core.read_persistent_volume(claim.spec.volume_name).spec.claim_ref.uid == claim.metadata.uid

# Patches of each kind, a conflict, and an error with its reason.
claim = core.patch_namespaced_persistent_volume_claim("python", NAMESPACE, {"metadata": {"labels": {"tier": "one"}}})
assert claim.metadata.labels == {"app": "python", "tier": "one"}, claim.metadata.labels
claim = core.patch_namespaced_persistent_volume_claim(
    "python", NAMESPACE, [{"op": "remove", "path": "/metadata/labels/tier"}]
)
assert claim.metadata.labels == {"app": "python"}, claim.metadata.labels
applied = core.patch_namespaced_config_map(
    "python",
    NAMESPACE,
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "python"}, "data": {"a": "1"}},
    field_manager="python",
    _content_type="application/apply-patch+yaml",
)
assert applied.metadata.managed_fields[0].manager == "python"
old = core.read_namespaced_config_map("python", NAMESPACE)
core.patch_namespaced_config_map("python", NAMESPACE, {"data": {"b": "2"}})
try:
    core.replace_namespaced_config_map("python", NAMESPACE, old)
    raise SystemExit("an outdated object was accepted")
except ApiException as error:
    assert error.status == 409 and "the object has been modified" in error.body, error
try:
    storage.read_storage_class("absent")
    raise SystemExit("an absent class was found")
except ApiException as error:
    assert error.status == 404 and 'storageclasses.storage.k8s.io \\"absent\\" not found' in error.body, error

# Pages of a list.
for index in range(5):
    core.create_namespaced_config_map(NAMESPACE, client.V1ConfigMap(metadata=meta(f"page-{index}", labels={"page": "1"})))
names, token = [], None
while True:
    page = core.list_namespaced_config_map(NAMESPACE, label_selector="page=1", limit=2, _continue=token)
    names += [item.metadata.name for item in page.items]
    token = page.metadata._continue
    if not token:
        break
assert names == [f"page-{index}" for index in range(5)], names
core.delete_collection_namespaced_config_map(NAMESPACE, label_selector="page=1")

# The dynamic client finds kinds by discovery.
classes = dynamic.DynamicClient(client.ApiClient()).resources.get(api_version="storage.k8s.io/v1", kind="StorageClass")
assert any(item.provisioner == "hostpath.holdfast.dev" for item in classes.get().items)

core.delete_namespaced_pod("python", NAMESPACE)
core.delete_namespaced_persistent_volume_claim("python", NAMESPACE)
for event in watch.Watch().stream(
    core.list_namespaced_persistent_volume_claim, NAMESPACE, field_selector="metadata.name=python", timeout_seconds=60
):
    if event["type"] == "DELETED":
        break
else:
    raise SystemExit("the claim is not deleted after a minute")
print("done")
