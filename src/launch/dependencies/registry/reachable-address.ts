/**
 * Which addresses a registry may link or redirect to. A registry of the operator is reached wherever it is;
 * what it names elsewhere must be on the internet, so that no package makes us ask a service of this machine,
 * of the network around it, or the metadata service of a cloud.
 */

import { lookup as resolve } from 'node:dns/promises'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { isPublicAddress } from '../../../sandbox/index.ts'

/** Networks of a company: a registry there may keep its archives on another host there. */
const company = new BlockList()
company.addSubnet('10.0.0.0', 8, 'ipv4')
company.addSubnet('172.16.0.0', 12, 'ipv4')
company.addSubnet('192.168.0.0', 16, 'ipv4')
company.addSubnet('100.64.0.0', 10, 'ipv4')
company.addSubnet('fc00::', 7, 'ipv6')

const isCompany = (address: string): boolean =>
  company.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

export class UnreachableError extends Error {}

interface Resolved {
  readonly address: string
  readonly family: number
}

/** Names are resolved once: the answer that was judged is the one that is connected to. */
export async function resolveLink(
  url: URL,
  registries: readonly URL[],
  mayReach: (address: string) => boolean = isPublicAddress,
): Promise<LookupFunction> {
  const addresses = await resolveHost(url)
  for (const { address } of addresses) {
    if (mayReach(address)) continue
    if (isCompany(address) && (await isAnyInCompany(registries))) continue
    throw new UnreachableError(
      `a registry links to ${url.host} (${address}), which is neither one of your registries nor on the public internet`,
    )
  }
  return (_name, options, callback) => {
    const [first] = addresses
    if (options.all === true) callback(null, [...addresses])
    else callback(null, first?.address ?? '', first?.family)
  }
}

/** Without the brackets of IPv6. */
export const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')

async function resolveHost(url: URL): Promise<readonly Resolved[]> {
  const host = bareHost(url)
  const family = isIP(host)
  return family === 0 ? resolve(host, { all: true }) : [{ address: host, family }]
}

async function isAnyInCompany(registries: readonly URL[]): Promise<boolean> {
  const resolved = await Promise.all(registries.map((one) => resolveHost(one).catch(() => [])))
  return resolved.flat().some(({ address }) => isCompany(address))
}
