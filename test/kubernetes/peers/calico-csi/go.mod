module holdfast.invalid/peers/calico-csi

go 1.26.0

require github.com/projectcalico/calico v1.11.0-cni-plugin.0.20250813170300-a0db560f0520

require (
	github.com/container-storage-interface/spec v1.9.0 // indirect
	github.com/golang/protobuf v1.5.4 // indirect
	github.com/sirupsen/logrus v1.9.3 // indirect
	golang.org/x/net v0.40.0 // indirect
	golang.org/x/sys v0.33.0 // indirect
	golang.org/x/text v0.25.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20240205150955-31a09d347014 // indirect
	google.golang.org/grpc v1.61.1 // indirect
	google.golang.org/protobuf v1.33.0 // indirect
)
