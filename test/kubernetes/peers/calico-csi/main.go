// Serves the CSI driver of Calico with its files below a directory; its own program has them in /etc and /var/run alone.
package main

import (
	"flag"
	"log"
	"os"
	"path/filepath"

	"github.com/projectcalico/calico/pod2daemon/csidriver/driver"
)

func main() {
	socket := flag.String("socket", "", "path to listen on")
	nodeID := flag.String("node-id", "", "id of the node")
	home := flag.String("home", "", "directory for its files")
	flag.Parse()

	if err := os.MkdirAll(*home, 0o755); err != nil {
		log.Fatal(err)
	}
	config := &driver.ConfigurationOptions{
		Endpoint:                    *socket,
		NodeID:                      *nodeID,
		NodeAgentManagementHomeDir:  *home,
		NodeAgentWorkloadHomeDir:    filepath.Join(*home, "mount"),
		NodeAgentCredentialsHomeDir: filepath.Join(*home, "creds"),
	}
	log.Fatal(driver.NewDriver(config).Run())
}
