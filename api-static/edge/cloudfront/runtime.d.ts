// Declares the module that the runtime of CloudFront functions provides.
declare module "cloudfront" {
  const cf: {
    /** Sends the request to this origin of the distribution, whatever the cache behavior says. */
    selectRequestOriginById(id: string): void;
  };
  export default cf;
}
