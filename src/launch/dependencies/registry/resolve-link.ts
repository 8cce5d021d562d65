/**
 * Decides which URLs a registry may link or redirect to. The operator's registries may be anywhere; other
 * hosts must be on the public internet, so that no package makes us call a service of this machine or its
 * network, or the metadata service of a cloud.
 */

import { lookup as resolve } from 'node:dns/promises'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { isPublicAddress } from '../../../sandbox/index.ts'

/** A registry in a private network may keep its archives on another host of a private network. */
const privateNetworks = new BlockList()
privateNetworks.addSubnet('10.0.0.0', 8, 'ipv4')
privateNetworks.addSubnet('172.16.0.0', 12, 'ipv4')
privateNetworks.addSubnet('192.168.0.0', 16, 'ipv4')
privateNetworks.addSubnet('100.64.0.0', 10, 'ipv4')
privateNetworks.addSubnet('fc00::', 7, 'ipv6')

const isPrivateAddress = (address: string): boolean =>
  privateNetworks.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

export class ForbiddenLinkError extends Error {}

interface Resolved {
  readonly address: string
  readonly family: number
}

/** Resolves the name once, so that the connection goes to the address that was checked. */
export async function resolveLink(
  url: URL,
  registries: readonly URL[],
  mayReach: (address: string) => boolean = isPublicAddress,
): Promise<LookupFunction> {
  const addresses = await resolveHost(url)
  for (const { address } of addresses) {
    if (mayReach(address)) continue
    if (isPrivateAddress(address) && (await isAnyPrivate(registries))) continue
    throw new ForbiddenLinkError(
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

async function isAnyPrivate(registries: readonly URL[]): Promise<boolean> {
  const resolved = await Promise.all(registries.map((one) => resolveHost(one).catch(() => [])))
  return resolved.flat().some(({ address }) => isPrivateAddress(address))
}
