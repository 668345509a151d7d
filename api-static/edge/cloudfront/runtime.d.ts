// Declares the module that the runtime of CloudFront functions provides.
declare module "cloudfront" {
  const cf: {
    /** Sends the request to this origin instead of the cache behavior's. */
    selectRequestOriginById(id: string): void;
  };
  export default cf;
}
