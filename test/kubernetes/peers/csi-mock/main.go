// Serves the mock driver of Kubernetes' own end-to-end tests on a unix socket. It keeps everything in memory and mounts nothing.
package main

import (
	"flag"
	"log"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/kubernetes/test/e2e/storage/drivers/csi-test/driver"
	"k8s.io/kubernetes/test/e2e/storage/drivers/csi-test/mock/service"
)

func main() {
	socket := flag.String("socket", "", "path to listen on")
	var config service.Config
	flag.StringVar(&config.DriverName, "name", service.Name, "name of the driver and id of its node")
	flag.BoolVar(&config.DisableAttach, "disable-attach", false, "do without ControllerPublishVolume")
	flag.BoolVar(&config.EnableTopology, "topology", false, "volumes are where the node is")
	flag.Int64Var(&config.AttachLimit, "attach-limit", 0, "volumes that fit on the node")
	flag.Parse()

	// One that was killed leaves its socket.
	_ = os.Remove(*socket)
	mock := service.New(config)
	// The type that Kubernetes' tests start wants a client connection when it is closed; this one is only ever stopped.
	servers := &driver.CSIDriverServers{Controller: mock, Identity: mock, Node: mock}
	listening := &driver.MockCSIDriver{CSIDriver: *driver.NewCSIDriver(servers)}
	if err := listening.StartOnAddress("unix", *socket); err != nil {
		log.Fatal(err)
	}
	stopped := make(chan os.Signal, 1)
	signal.Notify(stopped, syscall.SIGTERM, os.Interrupt)
	<-stopped
	listening.Stop()
}
