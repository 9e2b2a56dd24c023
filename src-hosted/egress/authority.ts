// The `host:port` of a CONNECT request.

export type Authority = { readonly host: string; readonly port: number }

/** A name as name servers know it, or an address; an IPv6 address stands in brackets. */
const AUTHORITY = /^(?:\[([0-9A-Fa-f:.]{2,45})\]|([0-9A-Za-z_](?:[0-9A-Za-z_.-]{0,252})?)):(\d{1,5})$/

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/** Of the server at a URL; one without a port is HTTP's, HTTPS's or PostgreSQL's. */
export const authorityOf = (text: string): Authority => {
  const { hostname, port, protocol } = new URL(text)
  return { host: hostname, port: port === '' ? (DEFAULT_PORTS[protocol] ?? 5432) : Number(port) }
}

export const readAuthority = (text: string): Authority | undefined => {
  const [, address, name, digits = ''] = AUTHORITY.exec(text) ?? []
  const host = address ?? name
  const port = Number(digits)
  return host === undefined || port < 1 || port > 65_535 ? undefined : { host, port }
}
