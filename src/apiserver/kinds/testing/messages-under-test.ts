// What Kubernetes says of a name that breaks a rule. For tests only.

const ENDS = 'must start and end with an alphanumeric character'

export const NOT_A_SUBDOMAIN =
  `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and ${ENDS} ` +
  "(e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

export const NOT_A_LABEL =
  `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and ${ENDS} ` +
  "(e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"

export const NOT_A_QUALIFIED_NAME =
  `name part must consist of alphanumeric characters, '-', '_' or '.', and ${ENDS} ` +
  "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"

export const NOT_A_LABEL_VALUE =
  `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and ${ENDS} ` +
  "(e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

export const NOT_A_CONFIG_KEY =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' " +
  "(e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
