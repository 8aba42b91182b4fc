const HOST = /^(EXCHANGE(?:_[A-Z0-9]+)*)_SERVICE_HOST$/;
const ADDRESS = /^[0-9a-f.:]+$/i;
const WHOLE = /^\d+$/;
const URL_OF_PORT = /^(?:tcp|udp|sctp):\/\//;

/** The names after a service's own name, with the form of their values. */
const SUFFIXES: readonly (readonly [suffix: RegExp, value: RegExp])[] = [
  [/^_SERVICE_HOST$/, ADDRESS],
  [/^_SERVICE_PORT(?:_[A-Z0-9_]+)?$/, WHOLE],
  [/^_PORT$/, URL_OF_PORT],
  [/^_PORT_\d+_(?:TCP|UDP|SCTP)$/, URL_OF_PORT],
  [/^_PORT_\d+_(?:TCP|UDP|SCTP)_PROTO$/, /^(?:tcp|udp|sctp)$/],
  [/^_PORT_\d+_(?:TCP|UDP|SCTP)_PORT$/, WHOLE],
  [/^_PORT_\d+_(?:TCP|UDP|SCTP)_ADDR$/, ADDRESS],
];

/**
 * Returns the variables that Kubernetes sets in every pod for a service whose name begins with `exchange`. They have the
 * prefix of our settings (https://kubernetes.io/docs/tutorials/services/connect-applications-service/#environment-variables).
 */
export function namesOfServices(variables: NodeJS.ProcessEnv): string[] {
  const services = Object.keys(variables).flatMap((name) => HOST.exec(name)?.[1] ?? []);
  return Object.entries(variables)
    .filter(([name, value = ""]) =>
      services.some(
        (service) =>
          name.startsWith(service) &&
          SUFFIXES.some(
            ([suffix, form]) => suffix.test(name.slice(service.length)) && form.test(value),
          ),
      ),
    )
    .map(([name]) => name);
}
