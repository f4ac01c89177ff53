internal import Foundation
internal import LedgerEvents

/// A storefront: the country whose store a device buys in.
///
/// StoreKit gives the three-letter country code of ISO 3166-1 (`USA`). Two-letter codes are
/// understood as well. Other texts, such as the store's own numbers, are kept as they are.
public struct Storefront: Sendable {
  /// The code as it was recorded.
  public let code: String
  /// The two-letter country code; `nil` if the code is not a country's.
  public let country: String?

  public init(_ code: String) {
    self.code = code
    let upper = code.uppercased()
    country =
      Self.countryByThreeLetters[upper] ?? (Self.countries.contains(upper) ? upper : nil)
  }

  /// The language that most people in the country read, in the country's variety (CLDR, *likely
  /// subtags*).
  var usualLocale: KnownLocale? {
    guard let country,
      let language = Locale.Language(identifier: "und-\(country)").maximalIdentifier
        .split(separator: "-").first
    else { return nil }
    return KnownLocale("\(language)_\(country)")
  }

  private static let countries = Set(countryByThreeLetters.values)

  private static let countryByThreeLetters: [String: String] = {
    var found: [String: String] = [:]
    for pair in pairs.split(whereSeparator: \.isWhitespace) {
      found[String(pair.prefix(3))] = String(pair.suffix(2))
    }
    return found
  }()

  /// ISO 3166-1: the three-letter and two-letter codes of each country; `XKX` is Kosovo's by usage.
  private static let pairs = """
    ABWAW AFGAF AGOAO AIAAI ALAAX ALBAL ANDAD AREAE ARGAR ARMAM ASMAS ATAAQ ATFTF ATGAG AUSAU
    AUTAT AZEAZ BDIBI BELBE BENBJ BESBQ BFABF BGDBD BGRBG BHRBH BHSBS BIHBA BLMBL BLRBY BLZBZ
    BMUBM BOLBO BRABR BRBBB BRNBN BTNBT BVTBV BWABW CAFCF CANCA CCKCC CHECH CHLCL CHNCN CIVCI
    CMRCM CODCD COGCG COKCK COLCO COMKM CPVCV CRICR CUBCU CUWCW CXRCX CYMKY CYPCY CZECZ DEUDE
    DJIDJ DMADM DNKDK DOMDO DZADZ ECUEC EGYEG ERIER ESHEH ESPES ESTEE ETHET FINFI FJIFJ FLKFK
    FRAFR FROFO FSMFM GABGA GBRGB GEOGE GGYGG GHAGH GIBGI GINGN GLPGP GMBGM GNBGW GNQGQ GRCGR
    GRDGD GRLGL GTMGT GUFGF GUMGU GUYGY HKGHK HMDHM HNDHN HRVHR HTIHT HUNHU IDNID IMNIM INDIN
    IOTIO IRLIE IRNIR IRQIQ ISLIS ISRIL ITAIT JAMJM JEYJE JORJO JPNJP KAZKZ KENKE KGZKG KHMKH
    KIRKI KNAKN KORKR KWTKW LAOLA LBNLB LBRLR LBYLY LCALC LIELI LKALK LSOLS LTULT LUXLU LVALV
    MACMO MAFMF MARMA MCOMC MDAMD MDGMG MDVMV MEXMX MHLMH MKDMK MLIML MLTMT MMRMM MNEME MNGMN
    MNPMP MOZMZ MRTMR MSRMS MTQMQ MUSMU MWIMW MYSMY MYTYT NAMNA NCLNC NERNE NFKNF NGANG NICNI
    NIUNU NLDNL NORNO NPLNP NRUNR NZLNZ OMNOM PAKPK PANPA PCNPN PERPE PHLPH PLWPW PNGPG POLPL
    PRIPR PRKKP PRTPT PRYPY PSEPS PYFPF QATQA REURE ROURO RUSRU RWARW SAUSA SDNSD SENSN SGPSG
    SGSGS SHNSH SJMSJ SLBSB SLESL SLVSV SMRSM SOMSO SPMPM SRBRS SSDSS STPST SURSR SVKSK SVNSI
    SWESE SWZSZ SXMSX SYCSC SYRSY TCATC TCDTD TGOTG THATH TJKTJ TKLTK TKMTM TLSTL TONTO TTOTT
    TUNTN TURTR TUVTV TWNTW TZATZ UGAUG UKRUA UMIUM URYUY USAUS UZBUZ VATVA VCTVC VENVE VGBVG
    VIRVI VNMVN VUTVU WLFWF WSMWS XKXXK YEMYE ZAFZA ZMBZM ZWEZW
    """
}

extension Storefront: Hashable {
  /// Two codes of the same country are equal; other codes are equal if their bytes are.
  public static func == (left: Storefront, right: Storefront) -> Bool { left.key == right.key }

  public func hash(into hasher: inout Hasher) { hasher.combine(key) }

  private var key: Name { Name(country ?? code) }
}
