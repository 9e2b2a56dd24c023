// Makes emulated parts of Electron: checked against Electron's types, and throwing for unsupported members, because silent
// stubs would let tests pass by mistake.

/** The members of `Real`, without those of every emitter. */
export type Part<Real> = Partial<Omit<Real, keyof NodeJS.EventEmitter>>

type Class = abstract new (...args: never[]) => object

/** Members that the stand-in has and Electron does not. The type check fails unless it is empty. */
type Surplus<Own, Real> = { readonly [Key in Exclude<keyof Own, keyof Real>]: never }

/** Returns `own`, which may lack members of the real one but has no others, as the real one. */
export const emulate =
  <Real extends object>() =>
  <Own extends Part<Real>>(name: string, own: Own & Surplus<Own, Real>): Real => {
    throwInGaps(own, name)
    return own as unknown as Real
  }

/** The same for a class: its instances and its static members. */
export const emulateClass =
  <Real extends Class>() =>
  <Own extends Class>(
    name: string,
    own: Own &
      (InstanceType<Own> extends Part<InstanceType<Real>> ? unknown : never) &
      ([Exclude<keyof InstanceType<Own>, keyof InstanceType<Real>>] extends [never] ? unknown : never) &
      Surplus<Own, Real>,
  ): Real => {
    throwInGaps(own.prototype as object, `${name}#`)
    throwInGaps(own, name)
    return own as unknown as Real
  }

export const notEmulated = (what: string): Error => new Error(`stand-in: ${what} is not emulated`)

/** A module or class that is not emulated: it can only be imported. */
export const gap = <Real>(name: string): Real => {
  const refuse = (): never => {
    throw notEmulated(name)
  }
  return new Proxy(class {}, { get: refuse, set: refuse, apply: refuse, construct: refuse }) as Real
}

/** Members that runtimes and inspectors read from every object. */
const ASKED_OF_ALL: ReadonlySet<PropertyKey> = new Set(['then', 'toJSON', 'prototype'])

const throwInGaps = (own: object, name: string): void => {
  const known = Object.getPrototypeOf(own) as object
  const isKnown = (key: PropertyKey) => typeof key === 'symbol' || key in known || ASKED_OF_ALL.has(key)
  const handler: ProxyHandler<object> = {
    get(target, key, receiver) {
      if (isKnown(key)) return Reflect.get(target, key, receiver) as unknown
      throw notEmulated(`${name}.${String(key)}`)
    },
    set(target, key, value, receiver) {
      if (isKnown(key)) return Reflect.set(target, key, value, receiver)
      throw notEmulated(`${name}.${String(key)}`)
    },
  }
  Object.setPrototypeOf(own, new Proxy(known, handler))
}
