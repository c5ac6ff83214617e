/** One thing an image is made of. */
export type Component = {
  name: string
  version: string
  /** https://github.com/package-url/purl-spec */
  purl: string
  license?: string
  sha256?: string
}

/** A bill of materials as SPDX 2.3 in JSON. It depends on its components alone: no time, no random identifier. */
export function writeSbom(image: string, version: string, components: readonly Component[], digest: string): string {
  const packages = [...components].sort((a, b) => (a.purl < b.purl ? -1 : 1))
  const idOf = (index: number): string => `SPDXRef-Package-${index + 1}`
  return `${JSON.stringify(
    {
      spdxVersion: 'SPDX-2.3',
      dataLicense: 'CC0-1.0',
      SPDXID: 'SPDXRef-DOCUMENT',
      name: `${image}-${version}`,
      documentNamespace: `urn:holdfast:sbom:${image}:${version}:${digest}`,
      creationInfo: { created: '1970-01-01T00:00:00Z', creators: ['Tool: holdfast-image'] },
      packages: packages.map(({ name, version: versionInfo, purl, license, sha256 }, index) => ({
        SPDXID: idOf(index),
        name,
        versionInfo,
        downloadLocation: 'NOASSERTION',
        filesAnalyzed: false,
        licenseConcluded: 'NOASSERTION',
        licenseDeclared: license ?? 'NOASSERTION',
        copyrightText: 'NOASSERTION',
        ...(sha256 && { checksums: [{ algorithm: 'SHA256', checksumValue: sha256 }] }),
        externalRefs: [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: purl }],
      })),
      relationships: packages.map((_, index) => ({
        spdxElementId: 'SPDXRef-DOCUMENT',
        relationshipType: 'DESCRIBES',
        relatedSpdxElement: idOf(index),
      })),
    },
    undefined,
    2,
  )}\n`
}
